/**
 * The package of an earlier version of the project, from the history of this clone, and the one of this version, as a user has
 * them. The earlier one runs with this version's dependencies, so these must include those that it needs.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installPackage, makePackage, manifestOf } from '../support/deploy/package.ts'
import { Copy } from '../support/recipes/copy.ts'
import { requestedCommit, requestsNpm } from '../support/seed.ts'
import { ROOT, readText } from '../support/sources.ts'

const GIT_BYTES_MAX = 512 * 1024 * 1024
/** The first commit that makes a package, until there is a release before. */
const FIRST_PACKAGED = '3f90845b'
/** Packages of development that only the earlier version needs. */
const ONLY_OF_EARLIER = ['pg-copy-streams']
const IS_BY_NPM = requestsNpm()

/** The version that is upgraded: the newest release before this commit, unless another commit is requested. */
export const EARLIER = requestedCommit(newestRelease() ?? FIRST_PACKAGED)

export type Packages = {
  /** Archives of both versions. */
  earlier: string
  newer: string
  /** Installs one in the folder of the name, where it replaces an earlier one; the result is its `swaptide`. */
  install(archive: string, name: string): string
  remove(): void
}

/** Why the earlier version cannot be run; undefined: it can. */
export function whyNotRunnable(): string | undefined {
  const lock = shownIn(EARLIER, 'package-lock.json')
  if (lock === undefined) return `commit ${EARLIER} is not in this clone`
  if (IS_BY_NPM) return undefined
  const now = packagesOf(readText('package-lock.json'), ONLY_OF_EARLIER)
  const other = [...packagesOf(lock)].find((each) => !now.has(each))
  return other === undefined ? undefined : `commit ${EARLIER} needs another version: ${other}`
}

/** Makes both packages. The newer one has the next minor version, whatever the tree states. */
export function makePackages(): Packages {
  const folder = mkdtempSync(join(tmpdir(), 'swaptide-upgrade-'))
  const tree = join(folder, 'earlier')
  mkdirSync(tree)
  const input = git(['archive', EARLIER])
  execFileSync('tar', ['-x', '-C', tree], { input, stdio: ['pipe', 'ignore', 'pipe'] })
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
  const copy = new Copy()
  const [major, minor] = manifestOf(tree).version.split('.').map(Number)
  return {
    earlier: makePackage(tree),
    newer: makePackage(copy.root, `${major}.${(minor ?? 0) + 1}.0`),
    install: (archive, name) =>
      join(installPackage(archive, join(folder, 'installed', name), IS_BY_NPM), 'deploy/swaptide'),
    remove() {
      copy.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The tag of the newest release before this commit. */
function newestRelease(): string | undefined {
  try {
    return git(['describe', '--tags', '--abbrev=0', '--match=v*', 'HEAD^']).toString().trim()
  } catch {
    return undefined
  }
}

function shownIn(commit: string, path: string): string | undefined {
  try {
    return git(['show', `${commit}:${path}`]).toString()
  } catch {
    return undefined
  }
}

function git(argv: readonly string[]): Buffer {
  return execFileSync('git', argv, { cwd: ROOT, maxBuffer: GIT_BYTES_MAX, stdio: 'pipe' })
}

type Lock = { packages: Record<string, { version?: string; dev?: boolean }> }

/** Packages that a part needs, and further ones of development, with their versions. */
function packagesOf(lock: string, further: readonly string[] = []): Set<string> {
  const { packages } = JSON.parse(lock) as Lock
  const paths = further.map((name) => `node_modules/${name}`)
  const chosen = Object.entries(packages).filter(
    ([path, { dev }]) => path !== '' && (dev !== true || paths.includes(path)),
  )
  return new Set(chosen.map(([path, { version }]) => `${path} ${version}`))
}
