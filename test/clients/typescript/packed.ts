// The client as npm publishes it: packed from a copy, so that no build is left in the tree.

import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ExecutionContext } from 'ava'
import { ROOT } from '../../support/sources.ts'

export const run = promisify(execFile)
const PACKAGE = join(ROOT, 'clients/typescript')

/** The folder in which the package was packed, and its archive. */
export async function packClient(
  t: Pick<ExecutionContext, 'teardown'>,
): Promise<{ folder: string; archive: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'swaptide-client-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await copyClient(folder)
  const { stdout } = await run('npm', ['pack', '--json'], { cwd: folder })
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[')))
  return { folder, archive: join(folder, filename) }
}

/** The client's files in a folder, with its dependencies. */
export async function copyClient(folder: string): Promise<void> {
  const isOwn = (path: string): boolean => !path.startsWith(join(PACKAGE, 'node_modules'))
  await cp(PACKAGE, folder, { recursive: true, filter: isOwn })
  await symlink(join(PACKAGE, 'node_modules'), join(folder, 'node_modules'))
}
