/**
 * A copy of an installation sends nothing to the endpoints of the first: `restore` pauses them, and
 * `webhooks pause --all` does so in a copy that was made otherwise, before anything of it runs.
 */
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { homeSettings, startUp } from '../../../support/deploy/started-up.ts'
import { type Ran, runCommandLine, runHere } from '../../../support/programs/commands.ts'
import { ownPort } from '../../../support/servers/own-port.ts'
import { temporaryFolder } from '../../../support/servers/servers.ts'
import { MANNERS, type Receiver, startReceiver } from '../../../support/webhooks/receiver.ts'
import { until } from '../../../support/workers/pipeline.ts'

const BOUND_MS = 60_000
const REASON = /^the database was restored from the backup of 2\S+Z$/

type Settings = Record<string, string>
type Listed = { id: number; state: string; pause_reason: string | null; attempts: number }

const settingsOfHome = async (t: ExecutionContext): Promise<Settings> => {
  return { ...(await homeSettings(t)), WEBHOOK_PRIVATE_ADDRESSES: 'allow' }
}

async function succeeds(
  argv: readonly string[],
  settings: Settings,
  run: (argv: readonly string[], settings: Settings) => Promise<Ran> = runHere,
): Promise<string> {
  const { code, stdout, stderr } = await run(argv, settings)
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${stderr}`)
  return stdout
}

async function listed(settings: Settings): Promise<Listed[]> {
  return JSON.parse(await succeeds(['webhooks', 'list', '--json'], settings))
}

async function newEndpoint(t: ExecutionContext, settings: Settings): Promise<Receiver> {
  const receiver = await startReceiver(t, MANNERS.plain!(''))
  const argv = ['webhooks', 'create', '--url', receiver.url, '--json']
  receiver.secret = JSON.parse(await succeeds(argv, settings)).secret
  return receiver
}

const market = (settings: Settings, seed: number, swaps: number): Promise<string> =>
  succeeds(['simulate', '--seed', String(seed), '--swaps', String(swaps)], settings)

async function otherHome(settings: Settings, home: string): Promise<Settings> {
  return { ...settings, SWAPTIDE_HOME: home, PORT: String(await ownPort()) }
}

/** Sends by the copy, so that the senders of it are known to have worked; the others get nothing meanwhile. */
async function sendsNothingTo(
  t: ExecutionContext,
  copy: Settings,
  first: readonly Receiver[],
  seed: number,
): Promise<void> {
  const before = first.map(({ received }) => received.length)
  const own = await newEndpoint(t, copy)
  await market(copy, seed, 40)
  await until('the copy sends', BOUND_MS, async () => own.received.length > 0)
  t.deepEqual(own.forged, [])
  t.deepEqual(
    first.map(({ received }) => received.length),
    before,
  )
}

test('a restored installation sends to no endpoint of before until it is resumed', async (t) => {
  const settings = await settingsOfHome(t)
  const parent = await temporaryFolder(t)
  const backup = join(parent, 'backup')
  const up = await startUp(t, settings, ['--no-demo'])
  const active = await newEndpoint(t, settings)
  // The deliveries of this webhook wait in the backup.
  const failing = await startReceiver(t, (response) => {
    response.writeHead(500).end()
    return false
  })
  await succeeds(['webhooks', 'create', '--url', failing.url], settings)
  await newEndpoint(t, settings)
  await succeeds(['webhooks', 'pause', '3'], settings)
  await market(settings, 1, 40)
  await until('both are sent to', BOUND_MS, async () =>
    [active, failing].every(({ received }) => received.length > 0),
  )
  await succeeds(['backup', backup], settings, runCommandLine)
  up.child.kill('SIGTERM')
  await up.ended

  const copy = await otherHome(settings, join(parent, 'copy'))
  const restored = await runCommandLine(['restore', backup], copy)
  t.regex(restored.stdout, /^paused 2 webhooks: .*"swaptide webhooks resume ID"$/m)
  const copied = await startUp(t, copy, ['--no-demo'])
  const rows = await listed(copy)
  t.deepEqual(
    rows.map(({ id, state, attempts }) => [id, state, attempts > 0]),
    [1, 2, 3].map((id) => [id, 'paused', false]),
  )
  t.regex(rows[0]?.pause_reason ?? '', REASON)
  t.regex(rows[1]?.pause_reason ?? '', REASON)
  t.is(rows[2]?.pause_reason, 'an operator paused it')
  t.regex(await succeeds(['webhooks', 'list'], copy), / paused .+the database was restored from/)
  await sendsNothingTo(t, copy, [active, failing], 2)

  const had = active.received.length
  await succeeds(['webhooks', 'resume', '1'], copy)
  await until('it is sent to', BOUND_MS, async () => active.received.length > had)
  // The receiver learns that it may have missed events.
  t.is(JSON.parse(active.received[had]?.body ?? '').type, 'gap')
  t.deepEqual(active.forged, [])
  copied.child.kill('SIGTERM')
  await copied.ended

  const stored = await otherHome(settings, join(parent, 'kept'))
  const argv = ['restore', backup, '--keep-webhooks']
  const restoredToSend = await succeeds(argv, stored, runCommandLine)
  t.notRegex(restoredToSend, /paused/)
  const sent = active.received.length
  await startUp(t, stored, ['--no-demo'])
  t.deepEqual(
    (await listed(stored)).map(({ pause_reason }) => pause_reason),
    [null, null, 'an operator paused it'],
  )
  await until('it is sent to', BOUND_MS, async () => active.received.length > sent)
})

test('pauses every webhook of a copied home before it runs', async (t) => {
  const settings = await settingsOfHome(t)
  const parent = await temporaryFolder(t)
  const up = await startUp(t, settings, ['--no-demo'])
  const active = await newEndpoint(t, settings)
  await market(settings, 1, 40)
  await until('it is sent to', BOUND_MS, async () => active.received.length > 0)
  up.child.kill('SIGTERM')
  await up.ended
  const home = join(parent, 'copy')
  await cp(settings.SWAPTIDE_HOME ?? '', home, { recursive: true })

  const copy = await otherHome(settings, home)
  t.is(await succeeds(['webhooks', 'pause', '--all'], copy), 'paused 1 webhook\n')
  const copied = await startUp(t, copy, ['--no-demo'])
  t.like((await listed(copy))[0], { state: 'paused', pause_reason: 'an operator paused it' })
  await sendsNothingTo(t, copy, [active], 2)
  copied.child.kill('SIGTERM')
  await copied.ended
})
