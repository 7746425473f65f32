/**
 * Programs of Debian for tests: fetched once into the cache folder of the embedded stack, from the same archive, and
 * unpacked there; the host is left alone.
 */
import { access, chmod, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { defaultCacheDir, type ToolEnv, toolEnv } from '../../../../deploy/local/host.ts'
import { unpackDeb } from '../../../../deploy/local/packages/archive/deb.ts'
import { openArchive } from '../../../../deploy/local/packages/open-archive.ts'
import { closure, PLATFORMS, type Platform } from '../../../../deploy/local/packages/prefix.ts'
import { stackDefaults } from '../servers.ts'

type Unpacked = { folder: string; platform: Platform; env: ToolEnv }

/** `withLibraries`: also what they depend on, for programs that the host's libraries may not fit. */
export async function unpackedPackages(
  name: string,
  packages: readonly string[],
  { withLibraries = false } = {},
): Promise<Unpacked> {
  const { debianMirror, env: given = {} } = stackDefaults(() => {})
  const env = toolEnv(given)
  const platform = PLATFORMS[process.arch]
  if (platform === undefined) throw new Error(`no packages for "${process.arch}"`)
  const cacheDir = defaultCacheDir(process.getuid?.() ?? 0, given)
  const folder = join(cacheDir, `${name}-for-tests`)
  const isThere = await access(folder).then(
    () => true,
    () => false,
  )
  if (isThere) return { folder, platform, env }
  await mkdir(cacheDir, { recursive: true })
  // Not named as the stack's own scratch folders, which its build removes.
  const scratch = await mkdtemp(join(cacheDir, 'fetching-'))
  const [lists, files, root] = ['lists', 'files', 'root'].map((each) => join(scratch, each)) as [
    string,
    string,
    string,
  ]
  try {
    for (const each of [lists, files, root]) await mkdir(each)
    const options = { cacheDir, mirror: debianMirror, debian: platform.debian, env }
    const archive = await openArchive({ ...options, folder: lists })
    await archive.update()
    const all = withLibraries ? closure(packages, await archive.dependencies(packages)) : packages
    await archive.download(all, files)
    for (const file of await readdir(files)) {
      await unpackDeb(await readFile(join(files, file)), root)
    }
    await chmod(root, 0o755)
    // Another test run may have been faster: then its copy stays.
    await rename(root, folder).catch(() => access(folder))
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  return { folder, platform, env }
}
