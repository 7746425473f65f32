/**
 * `swaptide backfill` and `swaptide coverage` with real servers: killed again and again, a backfill loses and doubles
 * nothing, and coverage lists no slot whose swaps are not stored.
 */
import { once } from 'node:events'
import test, { type ExecutionContext } from 'ava'
import { DECODER_VERSION } from '../../../../chain/decoder/version.ts'
import { ALL_VENUE_BITS, type Coverage } from '../../../../domain/coverage.ts'
import type { Event } from '../../../../domain/events/event.ts'
import { VENUE_NAMES } from '../../../../domain/venue.ts'
import { listCoverage } from '../../../../sql/coverage.ts'
import type { Db } from '../../../../sql/db.ts'
import { printEvent } from '../../../../streams/ingest/ndjson-writer.ts'

import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { faultsBySeed } from '../../../support/chain/rpc-faults.ts'
import { type RpcServer, startRpcServer } from '../../../support/chain/rpc-server.ts'
import {
  type ChainOptions,
  eventsOfChain,
  FIRST_SLOT,
  makeChain,
  type ServedChain,
} from '../../../support/chain/served-chain.ts'
import { sampleSwap } from '../../../support/market/sample-swap.ts'
import { finished, runHere, settingsOf, startCommand } from '../../../support/programs/commands.ts'
import {
  openPipeline,
  type Pipeline,
  readSwap,
  until,
  untilCaughtUp,
  untilSessionsEnd,
} from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'

const SLOTS = 60
const CHAIN = { slots: SLOTS, transactions: 30 }
const KEY = 'a1b2c3d4e5f6a7b8'
const argvOf = (slots: number): string[] => {
  const [from, to] = [FIRST_SLOT, FIRST_SLOT + slots - 1]
  return ['backfill', '--from', String(from), '--to', String(to)]
}
const ARGV = argvOf(SLOTS)
/** Several times the events after which the publisher closes a batch that is not full. */
const LONG_CHAIN = { slots: 240, transactions: 'swaps' } as const
const LONG_ARGV = argvOf(LONG_CHAIN.slots)

async function open(t: ExecutionContext, options: ChainOptions = CHAIN) {
  const chain = makeChain(options)
  const server = await startRpcServer(chain, { key: KEY })
  t.teardown(() => server.stop())
  const pipeline = await openPipeline(t)
  const settings = { ...settingsOf(pipeline), SOURCE_RPC_URL: server.url }
  return { chain, server, pipeline, settings }
}

const lines = (events: readonly Event[]): string[] =>
  [...new Set(events.map(printEvent))].toSorted()
const swapsOf = (events: readonly Event[]): number =>
  events.filter(({ kind }) => kind === 'swap').length

async function storedSwaps({ db }: Pipeline): Promise<number> {
  const { rows } = await db.query<{ count: number }>('select count(*)::integer as count from swap')
  return rows[0]?.count ?? 0
}

/**
 * Runs the command and kills it: when so many blocks were requested, or when more slots are recorded than before. True: it
 * ended before.
 */
async function runAndKill(
  server: RpcServer,
  { db }: Pipeline,
  settings: Record<string, string>,
  at: number | 'recorded',
): Promise<boolean> {
  // Slow enough that coverage is recorded before the end.
  const child = startCommand([...LONG_ARGV, '--rate', '60'], settings)
  const closed = once(child, 'close')
  const faults = server.disturb
  let left = at
  server.disturb = (request) => {
    if (typeof left === 'number' && request.method === 'getBlock' && --left === 0) {
      child.kill('SIGKILL')
    }
    return faults?.(request)
  }
  child.stdout?.resume()
  child.stderr?.resume()
  if (at === 'recorded') {
    const before = await lastSlot(db)
    await until('slots are recorded, or it ended', 120_000, async () => {
      return child.exitCode !== null || (await lastSlot(db)) > before
    })
    child.kill('SIGKILL')
  }
  const [code] = await closed
  server.disturb = faults
  await untilSessionsEnd(db, 'swaptide backfill')
  return code === 0
}

const lastSlot = async (db: Db): Promise<number> =>
  (await listCoverage(db))[0]?.to ?? FIRST_SLOT - 1

/** Each slot that coverage lists has all its swaps in SWAP, and its count of swaps is theirs. */
async function isTrue(t: ExecutionContext, chain: ServedChain, pipeline: Pipeline): Promise<void> {
  const coverage = await listCoverage(pipeline.db)
  const stored = new Set(lines(await readSwap(pipeline)))
  for (const { from, to, swaps } of coverage) {
    const expected = eventsOfChain(chain, from, to)
    t.true(
      lines(expected).every((line) => stored.has(line)),
      `slots ${from} to ${to}`,
    )
    t.is(swaps, swapsOf(expected))
  }
}

test('resumes after kills without a loss or a duplicate, and coverage is true', async (t) => {
  const { chain, server, pipeline, settings } = await open(t, LONG_CHAIN)
  await runWorker(t, pipeline)
  server.disturb = faultsBySeed(7, 0.1, 1)
  let reached = FIRST_SLOT
  for (const at of [3, 'recorded', 'recorded', 3] as const) {
    server.requests.length = 0
    if (await runAndKill(server, pipeline, settings, at)) break
    await isTrue(t, chain, pipeline)
    const first = server.requests.find(({ method }) => method === 'getBlocks')?.params[0]
    t.is(first, reached)
    reached = (await lastSlot(pipeline.db)) + 1
  }
  t.true(reached > FIRST_SLOT, 'nothing was recorded before a kill')
  server.disturb = undefined
  const { code, stdout, stderr } = await runHere(LONG_ARGV, settings)
  t.is(code, 0, stderr)
  t.regex(
    stdout,
    /^[\d,]+ slots, [\d,]+ of them skipped; [\d,]+ swaps? published in .*; left out: .*no_sol_side/,
  )
  t.notRegex(stdout + stderr, new RegExp(KEY))
  const expected = eventsOfChain(chain)
  t.deepEqual(lines(await readSwap(pipeline)), lines(expected))
  const whole: Coverage = {
    ...{
      from: FIRST_SLOT,
      to: chain.to,
      venues: ALL_VENUE_BITS,
      decoderVersion: DECODER_VERSION,
    },
    ...{ source: 'backfill', commitment: 'confirmed', swaps: swapsOf(expected) },
  }
  t.deepEqual(await listCoverage(pipeline.db), [whole])
  await untilCaughtUp(pipeline)
  t.is(await storedSwaps(pipeline), swapsOf(expected))
})

test('reads only what is missing, by venue, and what an older decoder has read', async (t) => {
  const { chain, server, pipeline, settings } = await open(t)
  const middle = [String(FIRST_SLOT + 20), String(FIRST_SLOT + 29)]
  const one = ['backfill', '--from', ...middle.slice(0, 1), '--to', ...middle.slice(1)]
  t.is((await runHere([...one, '--venues', 'venue_3'], settings)).code, 0)
  t.is((await runHere(ARGV, settings)).code, 0)
  const counts = new Map<unknown, number>()
  for (const { method, params } of server.requests) {
    if (method === 'getBlock') counts.set(params[0], (counts.get(params[0]) ?? 0) + 1)
  }
  // Only the slots of the middle were read twice: the second time for the other venues.
  const twice = Array.from(counts).filter(([, count]) => count > 1)
  t.true(
    twice.every(([slot]) => Number(slot) >= FIRST_SLOT + 20 && Number(slot) <= FIRST_SLOT + 30),
  )
  t.deepEqual(lines(await readSwap(pipeline)), lines(eventsOfChain(chain)))
  server.requests.length = 0
  const again = await runHere([...ARGV, '--again'], settings)
  t.regex(again.stdout, new RegExp(`^0 slots, .* ${SLOTS} slots covered before\n$`))
  t.is(server.requests.filter(({ method }) => method === 'getBlock').length, 0)
  await pipeline.db.query('update coverage set decoder_version = 0')
  const { stdout } = await runHere([...ARGV, '--again'], settings)
  t.regex(stdout, new RegExp(`^${SLOTS} slots, `))
})

test('reads a range again on request, and counts what a node did not have', async (t) => {
  const { chain, pipeline, server, settings } = await open(t, { slots: 6, transactions: 'swaps' })
  const argv = argvOf(6)
  // A node that lost most of its transactions.
  server.chain = {
    ...chain,
    blocks: new Map(
      Array.from(chain.blocks, ([slot, block]) => {
        const withoutSwaps = { ...block, transactions: block.transactions.slice(0, 1) }
        return [slot, withoutSwaps] as const
      }),
    ),
  }
  t.is((await runHere(argv, settings)).code, 0)
  server.chain = chain
  for (const covered of [argv, [...argv, '--again']]) {
    t.regex((await runHere(covered, settings)).stdout, /^0 slots, .* 6 slots covered before\n$/)
  }
  const { code, stdout, stderr } = await runHere([...argv, '--force'], settings)
  t.is(code, 0, stderr)
  t.regex(stdout, /^6 slots, 0 of them skipped; /)
  const expected = eventsOfChain(chain)
  t.deepEqual(lines(await readSwap(pipeline)), lines(expected))
  const [whole, ...rest] = await listCoverage(pipeline.db)
  t.deepEqual(rest, [])
  t.like(whole, { from: FIRST_SLOT, to: chain.to, swaps: swapsOf(expected) })
})

test('covers no slot whose results lack a part, and reads it from another node', async (t) => {
  const { chain, pipeline, server, settings } = await open(t, { slots: 6, transactions: 'swaps' })
  server.disturb = ({ method }) => (method === 'getBlock' ? 'no_metadata' : undefined)
  const child = startCommand(argvOf(6), settings)
  t.teardown(() => child.kill('SIGKILL'))
  let output = ''
  child.stderr?.on('data', (chunk) => {
    output += chunk
  })
  child.stdout?.resume()
  await until('the error names slot and part', 120_000, async () => {
    return /retrying: slot 285000100 from [\d.:]+: .* transaction 0 lacks innerInstructions/.test(
      output,
    )
  })
  t.deepEqual(await listCoverage(pipeline.db), [])
  server.disturb = undefined
  const [code] = await once(child, 'close')
  t.is(code, 0, output)
  t.deepEqual(lines(await readSwap(pipeline)), lines(eventsOfChain(chain)))
  t.like((await listCoverage(pipeline.db))[0], { from: FIRST_SLOT, to: chain.to })
})

test('lists ranges, venues, decoders and gaps', async (t) => {
  const { settings, pipeline } = await open(t)
  const empty = await runHere(['coverage'], settings)
  t.is(empty.stdout, 'no slots were read from the chain\n')
  for (const [from, to, venues] of [
    [0, 9, []],
    [20, 29, ['--venues', 'venue_1,venue_3']],
    [40, 49, []],
  ] as const) {
    const slots = ['--from', String(FIRST_SLOT + from), '--to', String(FIRST_SLOT + to)]
    t.is((await runHere(['backfill', ...slots, ...venues], settings)).code, 0)
  }
  const { stdout } = await runHere(['coverage'], settings)
  const [heading, first, second, third, ...gaps] = stdout.trimEnd().split('\n')
  t.regex(
    heading ?? '',
    /^from slot\s+to slot\s+slots\s+swaps\s+venues\s+decoder\s+source\s+commitment$/,
  )
  const reader = `${DECODER_VERSION} +backfill +confirmed$`
  t.regex(first ?? '', new RegExp(`^285000100 +285000109 +10 +\\d+ +all +${reader}`))
  t.regex(second ?? '', new RegExp(`^285000120 +285000129 +10 +\\d+ +venue_1,venue_3 +${reader}`))
  t.regex(third ?? '', new RegExp(`^285000140 +285000149 +10 +\\d+ +all +${reader}`))
  const others = VENUE_NAMES.filter((name) => !['venue_1', 'venue_3'].includes(name))
  t.deepEqual(gaps, [
    '3 gaps:',
    '  285000110 to 285000119 (10 slots) of venue_1,venue_3',
    `  285000110 to 285000139 (30 slots) of ${others.join()}`,
    '  285000130 to 285000139 (10 slots) of venue_1,venue_3',
    'complete since slot 285000140',
  ])
  const json = JSON.parse((await runHere(['coverage', '--json'], settings)).stdout)
  t.is(json.ranges.length, 3)
  t.like(json, { complete_since: 285000140, complete_since_timestamp: null })
  t.deepEqual(json.gaps[0], {
    venues: ['venue_1', 'venue_3'],
    from_slot: 285000110,
    to_slot: 285000119,
  })
  t.is(json.ranges.length, (await listCoverage(pipeline.db)).length)
  const timestamp = Date.UTC(2026, 10, 3, 10)
  await insertSwaps(pipeline.db, [sampleSwap({ slot: 285000141, timestamp })])
  const { stdout: timed } = await runHere(['coverage'], settings)
  t.regex(timed, /^complete since slot 285000140 \(2026-11-03T10:00:00\.000Z\)$/m)
})

test('explains wrong arguments, and that a key does not belong on a command line', async (t) => {
  const { server, settings } = await open(t)
  const { SOURCE_RPC_URL: _, ...without } = settings
  const cases: [string[], RegExp][] = [
    [['backfill', '--to', '5'], /--from is missing: expected a slot/],
    [['backfill', '--from', '9', '--to', '5'], /--to "5": expected a slot of 9 or more/],
    [ARGV, /--rpc is missing: name a URL or set SOURCE_RPC_URL/],
    [
      [...ARGV, '--rpc', 'ftp://x'],
      /--rpc: expected a URL that begins with http:\/\/ or https:\/\//,
    ],
    [[...ARGV, '--rpc', 'http://x', '--venues', 'venue_99'], /unknown venues "venue_99"/],
    [[...ARGV, '--rpc', 'http://x', '--commitment', 'processed'], /unknown commitment "processed"/],
    [['source'], /"source" alone does nothing: use one of rpc/],
  ]
  for (const [argv, message] of cases) {
    const { code, stderr } = await runHere(argv, without)
    t.is(code, 2, stderr)
    t.regex(stderr, message)
  }
  const { stderr } = await runHere([...ARGV, '--rpc', server.url], without)
  t.regex(stderr, /^hint: --rpc seems to contain a key, .*: use SOURCE_RPC_URL$/m)
  t.notRegex(stderr, new RegExp(KEY))
})

test('a run that is interrupted before its first block names all slots as not read', async (t) => {
  const { server, settings } = await open(t)
  const child = startCommand(ARGV, settings)
  server.disturb = () => {
    child.kill('SIGINT')
    return 'behind'
  }
  const { code, stdout } = await finished(child)
  t.is(code, 1)
  t.regex(stdout, new RegExp(`^0 slots, .+; ${SLOTS} slots not read$`, 'm'))
  t.notRegex(stdout, /none left out/)
})

test('ends in order when it is interrupted, and prints how to continue', async (t) => {
  const { server, pipeline, settings, chain } = await open(t)
  const child = startCommand([...ARGV, '--rate', '25'], settings)
  let blocks = 0
  server.disturb = ({ method }) => {
    if (method === 'getBlock' && ++blocks === 30) child.kill('SIGINT')
    return undefined
  }
  const { code, stdout, stderr } = await finished(child)
  t.is(code, 1)
  t.regex(stdout, /^[1-5]\d slots, .+; [1-4]\d slots not read$/m)
  t.notRegex(stdout, /none left out/)
  t.regex(stderr, /interrupted: run the same command again to continue/)
  await isTrue(t, chain, pipeline)
  const [coverage] = await listCoverage(pipeline.db)
  // Everything that was read is recorded at the end.
  t.true((coverage?.to ?? 0) >= FIRST_SLOT + 15)
})
