/**
 * A Debian mirror read by this program, for hosts without apt or without Debian's sources: lists and packages are proven by
 * Debian's signature on each suite (release.ts). The key ring comes from the mirror too; only keys with pinned
 * fingerprints are taken from it.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { PublicKey } from 'openpgp'
import type { PackageArchive } from '../package-archive.ts'
import { decompressXz, unpackDeb } from './deb.ts'
import { FetchFailed, type FileFetcher, fileFetcher } from './fetch-file.ts'
import { mergeIndexes, type PackageIndex, parsePackages } from './package-index.ts'
import {
  ARCHIVE_KEYS,
  expectCurrent,
  parseRelease,
  pinnedKeys,
  type Release,
  signedText,
  unprovenText,
} from './release.ts'

type Env = Readonly<Record<string, string>>

type MirrorOptions = {
  /** URL of the main archive and, after a space, of the security archive; without it, the first with "-security". */
  mirror: string
  /** Debian's name of the processor. */
  architecture: string
  /** A folder for files of the moment. */
  scratch: string
  /** Variables that name proxies. */
  env: Env
  now: () => number
  fingerprints?: ReadonlySet<string>
}

type Suite = { url: string; name: string; isMain: boolean }

const RELEASE = 'trixie'
const IN_RELEASE_BYTES_MAX = 16 * 1024 * 1024
const KEY_RING_PACKAGE = 'debian-archive-keyring'
/** Debian 13 has the key ring under the first name, older releases and derivatives the second. */
const KEY_RINGS = ['debian-archive-keyring.pgp', 'debian-archive-keyring.gpg']
const DOWNLOADS = 4

/** Nothing is fetched before `update`. */
export function debianMirror(options: MirrorOptions): PackageArchive {
  const suites = suitesOf(options.mirror)
  let index: PackageIndex = new Map()
  let urls: ReadonlyMap<string, string> = new Map()
  return {
    async update() {
      const read = await readSuites(suites, options)
      index = mergeIndexes(read.map(({ packages }) => packages))
      urls = new Map(
        read.flatMap(({ suite, packages }) =>
          Array.from(packages.values(), ({ path }) => [path, `${suite.url}/${path}`] as const),
        ),
      )
      const absent = suites.filter((suite) => !read.some((each) => each.suite === suite))
      if (absent.length === 0) return undefined
      return `the mirror has no suite ${absent.map(({ name }) => name).join(', ')}`
    },
    dependencies: async (roots) => reachable(index, roots),
    async plan(names) {
      const found = names.map((name) => packageOf(index, name))
      return {
        files: found.map(({ path }) => basename(path)),
        bytes: found.reduce((sum, { size }) => sum + size, 0),
      }
    },
    async download(names, folder) {
      await withFetcher(options.env, async (fetcher) => {
        const left = names.map((name) => packageOf(index, name))
        const run = async (): Promise<void> => {
          for (let found = left.pop(); found !== undefined; found = left.pop()) {
            const bytes = await fetcher.proven(urls.get(found.path) ?? found.path, found)
            await writeFile(join(folder, basename(found.path)), bytes)
          }
        }
        await Promise.all(Array.from({ length: DOWNLOADS }, run))
      })
    },
  }
}

function suitesOf(mirror: string): Suite[] {
  const [main = '', security] = mirror.trim().split(/\s+/)
  const url = main.replace(/\/+$/, '')
  const securityUrl = (security ?? `${url}-security`).replace(/\/+$/, '')
  return [
    { url, name: RELEASE, isMain: true },
    { url, name: `${RELEASE}-updates`, isMain: false },
    { url: securityUrl, name: `${RELEASE}-security`, isMain: false },
  ]
}

async function readSuites(
  suites: readonly Suite[],
  options: MirrorOptions,
): Promise<{ suite: Suite; packages: PackageIndex }[]> {
  return await withFetcher(options.env, async (fetcher) => {
    const read: { suite: Suite; packages: PackageIndex }[] = []
    let keys: PublicKey[] | undefined
    for (const suite of suites) {
      const inRelease = await inReleaseOf(suite, fetcher)
      if (inRelease === undefined) continue
      try {
        // The main archive's lists name the package with the key ring, which then proves these lists.
        keys ??= await keysOf(suite, inRelease, fetcher, options)
        const release = parseRelease(await signedText(inRelease, keys))
        expectCurrent(release, suite.name, { nowMs: options.now(), mustExpire: !suite.isMain })
        read.push({ suite, packages: await packagesOf(suite, release, fetcher, options) })
      } catch (cause) {
        if (cause instanceof FetchFailed) throw cause
        throw new Error(`${suite.url}, suite ${suite.name}: ${(cause as Error).message}`, { cause })
      }
    }
    return read
  })
}

/** Undefined: the mirror has no such suite. The main one must be there. */
async function inReleaseOf(
  { url, name, isMain }: Suite,
  fetcher: FileFetcher,
): Promise<string | undefined> {
  try {
    return await fetcher.text(`${url}/dists/${name}/InRelease`, IN_RELEASE_BYTES_MAX)
  } catch (error) {
    if (!isMain && error instanceof FetchFailed && error.status === 404) return undefined
    throw error
  }
}

async function keysOf(
  suite: Suite,
  inRelease: string,
  fetcher: FileFetcher,
  options: MirrorOptions,
): Promise<PublicKey[]> {
  const unproven = parseRelease(await unprovenText(inRelease))
  const found = packageOf(await packagesOf(suite, unproven, fetcher, options), KEY_RING_PACKAGE)
  const bytes = await fetcher.proven(`${suite.url}/${found.path}`, found)
  const folder = await mkdtemp(join(options.scratch, 'keys-'))
  try {
    await unpackDeb(bytes, folder)
    for (const name of KEY_RINGS) {
      const ring = await readFile(join(folder, 'usr/share/keyrings', name)).catch(() => undefined)
      if (ring !== undefined) return await pinnedKeys(ring, options.fingerprints ?? ARCHIVE_KEYS)
    }
    throw new Error(`its package ${KEY_RING_PACKAGE} has no key ring`)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function packagesOf(
  { url, name }: Suite,
  { files, isByHash }: Release,
  fetcher: FileFetcher,
  { architecture }: MirrorOptions,
): Promise<PackageIndex> {
  const folder = `main/binary-${architecture}`
  const listed = files.get(`${folder}/Packages.xz`)
  if (listed === undefined) throw new Error(`it lists no packages for ${architecture}`)
  const path = isByHash ? `by-hash/SHA256/${listed.sha256}` : 'Packages.xz'
  const bytes = await fetcher.proven(`${url}/dists/${name}/${folder}/${path}`, listed)
  return parsePackages(await text(decompressXz(bytes)))
}

function packageOf(index: PackageIndex, name: string) {
  const found = index.get(name)
  if (found === undefined) throw new Error(`the mirror has no package "${name}"`)
  return found
}

/** Dependencies that the index has no package of are virtual: what provides them is reached by its own name. */
function reachable(index: PackageIndex, roots: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  const reached = new Set(roots)
  // Iteration of a Set includes members added meanwhile.
  for (const name of reached) {
    const needed = index.get(name)?.dependencies.filter((each) => index.has(each)) ?? []
    found.set(name, needed)
    for (const each of needed) reached.add(each)
  }
  return found
}

async function withFetcher<Result>(
  env: Env,
  work: (fetcher: FileFetcher) => Promise<Result>,
): Promise<Result> {
  const fetcher = fileFetcher(env)
  try {
    return await work(fetcher)
  } finally {
    fetcher.close()
  }
}
