/**
 * An earlier version of the project, from the history of this clone, as a folder whose programs run alongside those of this
 * version. It runs with this version's dependencies, so these must include those that it needs for production.
 */
import { execFileSync } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { temporaryFolder } from '../support/servers/servers.ts'
import { ROOT, readText } from '../support/sources.ts'

const GIT_BYTES_MAX = 512 * 1024 * 1024

/** Why the commit cannot be run; undefined: it can. */
export function whyNotRunnable(commit: string): string | undefined {
  const lock = shownIn(commit, 'package-lock.json')
  if (lock === undefined) return `commit ${commit} is not in this clone`
  const now = dependenciesOf(readText('package-lock.json'))
  const other = [...dependenciesOf(lock)].find((each) => !now.has(each))
  return other === undefined ? undefined : `commit ${commit} needs another version: ${other}`
}

/** Writes the commit's files; resolves to its `swaptide`. */
export async function openVersion(t: ExecutionContext, commit: string): Promise<string> {
  const folder = await temporaryFolder(t)
  const input = git(['archive', commit])
  execFileSync('tar', ['-x', '-C', folder], { input, stdio: ['pipe', 'ignore', 'pipe'] })
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return join(folder, 'deploy/swaptide')
}

function shownIn(commit: string, path: string): string | undefined {
  try {
    return git(['show', `${commit}:${path}`]).toString()
  } catch {
    return undefined
  }
}

const git = (argv: readonly string[]): Buffer =>
  execFileSync('git', argv, { cwd: ROOT, maxBuffer: GIT_BYTES_MAX, stdio: 'pipe' })

type Lock = { packages: Record<string, { version?: string; dev?: boolean }> }

/** Packages that a part needs, with their versions. */
function dependenciesOf(lock: string): Set<string> {
  const { packages } = JSON.parse(lock) as Lock
  const needed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true)
  return new Set(needed.map(([path, { version }]) => `${path} ${version}`))
}
