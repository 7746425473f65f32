/**
 * `swaptide source geyser` with real servers: follows a Yellowstone stream through cuts, fetches by RPC what came while it
 * did not run, and leaves gaps only where it was allowed to.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { Event } from '../../../../domain/events/event.ts'
import { listCoverage } from '../../../../sql/coverage.ts'
import { printEvent } from '../../../../streams/ingest/ndjson-writer.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { disturbed, GEYSER_FAULTS } from '../../../support/chain/geyser/faults.ts'
import { chain, LAST_SLOT, script } from '../../../support/chain/geyser/run.ts'
import type { Step } from '../../../support/chain/geyser/script.ts'
import { type GeyserServer, startGeyserServer } from '../../../support/chain/geyser/server.ts'

import { startRpcServer } from '../../../support/chain/rpc-server.ts'
import { eventsOfChain, FIRST_SLOT } from '../../../support/chain/served-chain.ts'
import { finished, runHere, settingsOf, startCommand } from '../../../support/programs/commands.ts'
import { temporaryFolder } from '../../../support/servers/servers.ts'
import { openPipeline, readSwap, until } from '../../../support/workers/pipeline.ts'

const BOUND_MS = 60_000
const TOKEN = 'token-of-nobody'

const lines = (events: readonly Event[]): string[] =>
  [...new Set(events.map(printEvent))].toSorted()

async function open(t: ExecutionContext) {
  const rpc = await startRpcServer(chain)
  t.teardown(() => rpc.stop())
  const pipeline = await openPipeline(t)
  const tokenFile = join(await temporaryFolder(t), 'token')
  await writeFile(tokenFile, `${TOKEN}\n`)

  async function serve(steps: readonly Step[]): Promise<GeyserServer> {
    const server = await startGeyserServer({ script: steps, token: TOKEN })
    t.teardown(() => server.stop())
    return server
  }

  function start(server: GeyserServer, environment: Record<string, string>, ...argv: string[]) {
    const command = ['source', 'geyser', '--endpoint', server.url, '--x-token-file', tokenFile]
    const child = startCommand([...command, ...argv], { ...settingsOf(pipeline), ...environment })
    t.teardown(() => child.kill('SIGKILL'))
    return child
  }

  /** Follows a stream until the events of a slot are stored; returns its output. */
  async function follow(
    steps: readonly Step[],
    to: number,
    environment: Record<string, string> = { SOURCE_RPC_URL: rpc.url },
    ...argv: string[]
  ) {
    const child = start(await serve(steps), environment, ...argv)
    const ran = finished(child)
    const last = lines(eventsOfChain(chain, to, to))
    await until(`the events of slot ${to} are stored`, BOUND_MS, async () => {
      const stored = new Set(lines(await readSwap(pipeline)))
      return last.every((line) => stored.has(line))
    })
    child.kill('SIGTERM')
    return await ran
  }
  return { pipeline, serve, start, follow }
}

/** The first slot with a block so many slots after the first one. */
const blockAfter = (slots: number): number =>
  [...chain.blocks.keys()].find((slot) => slot >= FIRST_SLOT + slots) ?? LAST_SLOT
const isUpTo = (slot: number) => (step: Step) => !('slot' in step) || step.slot <= slot
const isFrom = (slot: number) => (step: Step) => 'slot' in step && step.slot >= slot

test('follows a stream through cuts and reads what came meanwhile', async (t) => {
  const { pipeline, follow } = await open(t)
  const half = blockAfter(30)
  const prng = new Prng([7])
  const steps = (['cut', 'lost_transaction', 'garbage'] as const).reduce(
    (changed, fault, at) => GEYSER_FAULTS[fault](changed, blockAfter(5 + 6 * at), prng, chain),
    script('held'),
  )
  const first = await follow(steps.filter(isUpTo(half)), half)
  t.is(first.code, 0, first.stderr)
  t.regex(first.stderr, /following 127\.0\.0\.1:\d+ \(confirmed\) from the newest slot\n/)
  const [before] = await listCoverage(pipeline.db)
  const second = await follow(script('held').filter(isFrom(half + 20)), LAST_SLOT)
  t.is(second.code, 0, second.stderr)
  t.true(second.stderr.includes(`from slot ${(before?.to ?? 0) + 1}\n`), second.stderr)
  t.regex(second.stdout, /^\d+ slots, [1-9]\d* of them fetched; \d+ swaps\n$/)
  const [whole, ...rest] = await listCoverage(pipeline.db)
  t.deepEqual(rest, [])
  const expected = eventsOfChain(chain, whole?.from)
  const swaps = expected.filter(({ kind }) => kind === 'swap').length
  t.like(whole, { to: LAST_SLOT, source: 'geyser', commitment: 'confirmed', swaps })
  t.deepEqual(lines(await readSwap(pipeline)), lines(expected))
  t.false(`${first.stderr}${second.stderr}`.includes(TOKEN))
})

test('ends at a slot that it cannot have, and leaves a gap on request', async (t) => {
  const { pipeline, serve, start, follow } = await open(t)
  const steps = disturbed(script('held'), chain, ['lost_transaction'], new Prng([7]))
  const ended = await finished(start(await serve(steps), {}, '--from', String(FIRST_SLOT)))
  t.is(ended.code, 1)
  t.regex(ended.stderr, /slots (\d+) to \1 did not come whole: name an RPC endpoint/)
  const lost = Number(/slots (\d+) to/.exec(ended.stderr)?.[1])
  const rangesNow = async () =>
    (await listCoverage(pipeline.db)).map(({ from, to }): [number, number] => [from, to])
  const before: [number, number] = [FIRST_SLOT, lost - 1]
  t.deepEqual(await rangesNow(), [before])
  const passed = await follow(steps, LAST_SLOT, {}, '--accept-gaps')
  t.is(passed.code, 0, passed.stderr)
  t.deepEqual(await rangesNow(), [before, [lost + 1, LAST_SLOT]])
})

test('ends with an error that names no token where it is not known', async (t) => {
  const { serve, pipeline } = await open(t)
  const server = await serve(script('held'))
  const environment = { SOURCE_GEYSER_URL: server.url, SOURCE_GEYSER_X_TOKEN: 'another-token' }
  const { code, stderr } = await finished(
    startCommand(['source', 'geyser'], { ...settingsOf(pipeline), ...environment }),
  )
  t.is(code, 1)
  t.regex(stderr, /gRPC status 16 "No valid auth token": check the x-token/)
  t.false(stderr.includes('another-token'))
})

const WRONG: [string[], RegExp][] = [
  [[], /--endpoint is missing: name a URL or set SOURCE_GEYSER_URL/],
  [['--endpoint', 'stream.example.com'], /--endpoint: expected a URL that begins with/],
  [
    ['--endpoint', 'https://example.com/key-of-mine'],
    /--endpoint: expected a scheme, a host and a port/,
  ],
  [
    ['--endpoint', 'http://127.0.0.1:1', '--x-token-file', '/nowhere/token'],
    /x-token file "\/nowhere\/token": ENOENT/,
  ],
]

test('refuses wrong endpoints and token files without a server, and repeats no key', async (t) => {
  for (const [argv, message] of WRONG) {
    const { code, stderr } = await runHere(['source', 'geyser', ...argv], {})
    t.is(code, 2, argv.join(' '))
    t.regex(stderr, message)
    t.false(stderr.includes('key-of-mine'))
  }
})
