/**
 * The source of Debian's packages: the mirror that a person named now or at an earlier start, which Node reads, else the
 * archive of the host's own apt.
 *
 * Decision: docs/decisions/0103-node-reads-a-debian-mirror.md
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StackUnavailable } from '../host.ts'
import { hostSources, missingTools, privateApt } from './apt.ts'
import { debianMirror } from './archive/mirror.ts'
import type { PackageArchive } from './package-archive.ts'

type ArchiveOptions = {
  cacheDir: string
  /** URL of the main archive and, after a space, of the security archive. */
  mirror: string | undefined
  /** An empty folder for lists and other files of the moment. */
  folder: string
  /** Debian's name of the processor. */
  debian: string
  env: Readonly<Record<string, string>>
}

/** A file of the cache folder: the mirror that a person named last. */
const MIRROR_FILE = 'debian-mirror'

/** Throws StackUnavailable where no archive is known. */
export async function openArchive(options: ArchiveOptions): Promise<PackageArchive> {
  const { cacheDir, folder, debian: architecture, env } = options
  const file = join(cacheDir, MIRROR_FILE)
  const named = options.mirror?.trim() || undefined
  const mirror = named ?? (await readFile(file, 'utf8').catch(() => '')).trim()
  if (mirror !== '') {
    expectUrls(mirror)
    const archive = debianMirror({ mirror, architecture, scratch: folder, env, now: Date.now })
    // Remembered once its lists are proven.
    const update = async (): Promise<string | undefined> => {
      const complaint = await archive.update()
      await writeFile(file, `${mirror}\n`)
      return complaint
    }
    return { ...archive, update }
  }
  const missing = await missingTools(env)
  const sources = missing.length === 0 ? await hostSources() : undefined
  if (sources !== undefined) return await privateApt(folder, sources, architecture, env)
  const reason =
    missing.length === 0
      ? "none of the host's apt sources is Debian's main archive"
      : `the host has no ${missing.join(', ')}`
  throw new StackUnavailable(
    `its programs are Debian packages, and ${reason}. Name a mirror of Debian once, by "swaptide up --debian-mirror ` +
      'http://HOST/debian" or SWAPTIDE_DEBIAN_MIRROR: it serves any Linux on x64 or arm64 (docs/systems.md)',
  )
}

function expectUrls(mirror: string): void {
  for (const url of mirror.split(/\s+/)) {
    if (/^https?:\/\/[^/]+/.test(url) && URL.canParse(url)) continue
    throw new StackUnavailable(
      `the Debian mirror "${url}" is no URL: expected http://HOST/debian or https://HOST/debian`,
    )
  }
}
