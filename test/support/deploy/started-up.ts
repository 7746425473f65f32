/** `swaptide up` as a process of a test, on a home and ports of its own. */
import type { ChildProcess } from 'node:child_process'
import type { ExecutionContext } from 'ava'
import { holdsWithin } from '../../../deploy/local/waiting.ts'
import { startCommand } from '../programs/commands.ts'
import { ownPort } from '../servers/own-port.ts'
import { temporaryFolder } from '../servers/servers.ts'

export const READY_BOUND_MS = 150_000

export type Up = {
  child: ChildProcess
  url: string
  /** One-time link that signs a browser in. */
  pagesLink: string
  key: string
  ended: Promise<number | null>
}

/** `swaptide up` with these settings, ended with the test; its output is logged if the test fails. `program`: of another installation. */
export async function startUp(
  t: ExecutionContext,
  settings: Record<string, string>,
  argv: readonly string[] = [],
  program?: string,
): Promise<Up> {
  const child = startCommand(['up', ...argv], settings, program)
  let printed = ''
  let hasEnded = false
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve)).finally(() => {
    hasEnded = true
  })
  t.teardown(async () => {
    child.kill('SIGTERM')
    await ended
    if (!t.passed) t.log(printed)
  })
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (piece) => {
      printed += piece
    })
  }
  await holdsWithin(READY_BOUND_MS, () => printed.includes('Ctrl-C') || hasEnded)
  const url = /address +(\S+)/.exec(printed)?.[1]
  const pagesLink = /open +(\S+)/.exec(printed)?.[1]
  const key = /key +(\S+)/.exec(printed)?.[1]
  if (url === undefined || pagesLink === undefined || key === undefined)
    throw new Error(`up is not ready: ${printed}`)
  return { child, url, pagesLink, key, ended }
}

export function pidOf({ child }: Up): number {
  if (child.pid === undefined) throw new Error('up was not started')
  return child.pid
}

export async function homeSettings(t: ExecutionContext): Promise<Record<string, string>> {
  const PORT = String(await ownPort())
  return { SWAPTIDE_HOME: await temporaryFolder(t), PORT, GRPC_PORT: '0' }
}
