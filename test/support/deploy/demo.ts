// A demo as a new user has it: `swaptide up` on servers of the test, with a simulated market of the last hour that
// every worker has processed.

import { once } from 'node:events'
import type { ExecutionContext } from 'ava'
import { holdsWithin } from '../../../deploy/local/waiting.ts'
import { type Ran, runCommandLine, settingsOf, startCommand } from '../programs/commands.ts'
import { testRedis } from '../servers/redis.ts'
import { temporaryFolder } from '../servers/servers.ts'
import { openPipeline } from '../workers/pipeline.ts'

export type Demo = {
  url: string
  /** One-time link that signs a browser in with the key of the tier pro. */
  pagesLink: string
  home: string
  settings: Readonly<Record<string, string>>
  /** An API key of tier enterprise. */
  key: string
  adminKey: string
  run(argv: readonly string[], input?: string): Promise<Ran>
}

const DEMO_SEED = '7'
const SWAPS = '8000'
const BEGINS_MS_AGO = 30 * 60_000
const READY_BOUND_MS = 150_000
const ADMIN_KEY = 'an-operators-key-of-this-demo'

export async function startDemo(t: ExecutionContext): Promise<Demo> {
  const pipeline = await openPipeline(t)
  const { redisUrl, drop } = await testRedis()
  t.teardown(drop)
  const home = await temporaryFolder(t)
  const ports = { PORT: '0', GRPC_PORT: '0' }
  const servers = settingsOf(pipeline, redisUrl)
  const settings = { SWAPTIDE_HOME: home, ADMIN_TOKEN: ADMIN_KEY, ...ports, ...servers }
  const run: Demo['run'] = (argv, input) => runCommandLine(argv, settings, input)
  const { url, pagesLink } = await startUp(t, settings)
  const fromMs = String(Date.now() - BEGINS_MS_AGO)
  for (const argv of [
    ['simulate', '--seed', DEMO_SEED, '--swaps', SWAPS, '--from', fromMs],
    ['status', '--wait', '--timeout', '120'],
  ]) {
    const { code, stderr } = await run(argv)
    if (code !== 0) throw new Error(`${argv.join(' ')}: ${stderr}`)
  }
  const { stdout } = await run(['keys', 'create', '--tier', 'enterprise', '--env', 'test'])
  return { url, pagesLink, home, settings, key: stdout.trim(), adminKey: ADMIN_KEY, run }
}

async function startUp(
  t: ExecutionContext,
  settings: Record<string, string>,
): Promise<Pick<Demo, 'url' | 'pagesLink'>> {
  const child = startCommand(['up', '--no-demo'], settings)
  const ended = once(child, 'exit')
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (piece) => {
      printed += piece
    })
  }
  t.teardown(async () => {
    child.kill('SIGTERM')
    await ended
    if (!t.passed) t.log(printed)
  })
  await holdsWithin(READY_BOUND_MS, () => printed.includes('Ctrl-C') || child.exitCode !== null)
  const [, url] = /address +(\S+)/.exec(printed) ?? []
  const [, pagesLink] = /open +(\S+)/.exec(printed) ?? []
  if (url === undefined || pagesLink === undefined) throw new Error(`up is not ready: ${printed}`)
  return { url, pagesLink }
}
