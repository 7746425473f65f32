/**
 * `swaptide replay` on real servers: its output, from the stream or from the tables, interrupted or not, makes the same
 * tables in an empty installation; and no event is missing or doubled at the seam of the two.
 */

import type { ChildProcess } from 'node:child_process'
import { readdir, readFile, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { MarketEvent } from '../../../domain/events/event.ts'
import { printEvent } from '../../../streams/ingest/ndjson-writer.ts'
import { createPublisher } from '../../../streams/ingest/publisher.ts'
import { connectJetStream } from '../../../streams/nats/jetstream.ts'
import { parsePattern, type SubjectPattern } from '../../../streams/nats/subject.ts'
import { trimStream } from '../../../streams/nats/topology.ts'
import type { ReplayPosition } from '../../../streams/replay/replay.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { fileSource } from '../../../streams/sources/file.ts'
import { runSource } from '../../../streams/sources/run-source.ts'
import { ACTOR_NAMES } from '../../../workers/actors.ts'
import { planReplay, replay } from '../../../workers/replay/replay.ts'
import { asItCame } from '../../../workers/replay/table-source.ts'
import { poolOf, SIGNATURE, SWAP } from '../../support/events/sample-event.ts'
import {
  finished,
  type Ran,
  runHere,
  settingsOf,
  startCommand,
} from '../../support/programs/commands.ts'
import { untilRankingCaughtUp } from '../../support/ranking/ranking.ts'
import { temporaryFolder } from '../../support/servers/servers.ts'
import { verifiedHashes } from '../../support/verify/hashes.ts'
import { untilLedgerCaughtUp } from '../../support/workers/ledger.ts'
import {
  feedEnd,
  openPipeline,
  type Pipeline,
  publishAll,
  until,
  untilCaughtUp,
} from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket } from '../../support/workers/small-market.ts'

const ALL = { actors: ACTOR_NAMES }
const EVERYTHING = { fromMs: null, toMs: null, fromSequence: null, toSequence: null }

/** A market that came in out of order, with a part of it twice, and is in all tables. */
async function fullPipeline(t: ExecutionContext, seed: number, swaps: number): Promise<Pipeline> {
  const pipeline = await openPipeline(t)
  const market = smallMarket(seed, swaps).map(withOwnPrice)
  const events = [...market, ...UNTRADED, migration(market)]
  const prng = new Prng([seed])
  const late = events.filter(() => prng.unit() < 0.1)
  const isLate = new Set(late)
  const inTime = events.filter((event) => !isLate.has(event))
  const worker = await runWorker(t, pipeline, ALL)
  await publishAll(pipeline, [...inTime, ...late, ...inTime.slice(0, 200)], { eventsMax: 40 })
  await untilAllCaughtUp(pipeline)
  await worker.stop()
  return pipeline
}

/** Token lines of mints without a trade: one with values at two slots, one without values. */
const UNTRADED: MarketEvent[] = [
  { tokenAddress: poolOf(901), slot: 7, symbol: 'OLD', decimals: 3 },
  { tokenAddress: poolOf(901), slot: 9, symbol: 'NEW "1"', supply: 9_007_199_254_740_993n },
  { tokenAddress: poolOf(902), slot: 0 },
].map((token) => ({ kind: 'token', token }))

/** Migration of the pool of venue 2 that is traded first: its prices are corrected. */
function migration(market: readonly MarketEvent[]): MarketEvent {
  const swaps = market.flatMap((event) => (event.kind === 'swap' ? [event.swap] : []))
  const first = swaps.find(({ dex }) => dex === 2)
  if (first === undefined) throw new Error('the market has no swap of venue 2')
  const { slot, timestamp, pairAddress, tokenAddress, dex } = first
  const position = { slot, timestamp, pairAddress, tokenAddress, dex, blockTxIndex: 0, ixIndex: 0 }
  const poolEvent = { ...position, event: 'migrated', signature: SIGNATURE, fromPair: poolOf(903) }
  return { kind: 'pool_event', poolEvent } as MarketEvent
}

/** For some swaps the venue publishes a pool price that does not follow from the reserves. */
function withOwnPrice(event: MarketEvent, index: number): MarketEvent {
  if (event.kind !== 'swap' || index % 50 !== 0) return event
  return { kind: 'swap', swap: { ...event.swap, poolPrice: 1 / (index + 3) } }
}

async function untilAllCaughtUp(pipeline: Pipeline): Promise<void> {
  await untilLedgerCaughtUp(pipeline, 60_000)
  await untilRankingCaughtUp(pipeline, 60_000)
}

/** A new installation that ingested the file. */
async function ingested(t: ExecutionContext, file: string): Promise<Pipeline> {
  const pipeline = await openPipeline(t)
  const { jetStream, topology, prefix, laneCount, recording } = pipeline
  await runWorker(t, pipeline, ALL)
  const publisher = createPublisher(jetStream, topology, { log: recording.log })
  const report = await runSource(fileSource({ path: file, now: Date.now }), {
    publish: publisher.publish,
    prefix,
    laneCount,
    signal: new AbortController().signal,
    onNotice: ({ at, reasons }) => t.fail(`${at}: ${JSON.stringify(reasons)}`),
  })
  publisher.close()
  t.is(report.refused, 0)
  await untilAllCaughtUp(pipeline)
  return pipeline
}

/** The same lines in any order, each as often. */
async function assertSameLines(t: ExecutionContext, file: string, other: string): Promise<void> {
  const [lines = [], others = []] = await Promise.all(
    [file, other].map(async (name) => (await readFile(name, 'utf8')).trimEnd().split('\n').sort()),
  )
  t.deepEqual(lines.filter((line, at) => line !== others[at]).slice(0, 3), [], file)
  t.is(lines.length, others.length, file)
}

test('makes the same tables from a replay of the stream or the tables, whole or interrupted', async (t) => {
  const first = await fullPipeline(t, 71, 2_000)
  const expected = await verifiedHashes(t, first)
  const corrected = await first.db.query('select from pool where dex = 2 and migrated_at_ms > 0')
  t.true((corrected.rowCount ?? 0) > 0, 'prices are corrected')
  const folder = await temporaryFolder(t)
  const settings = settingsOf(first)
  const run = async (name: string, ...options: string[]): Promise<{ file: string } & Ran> => {
    const file = join(folder, name)
    return {
      file,
      ...(await runHere(['replay', '--output', file, ...options], settings)),
    }
  }

  const streamed = await run('stream', '--from', '1')
  t.is(streamed.code, 0, streamed.stderr)
  const stored = await run('tables')
  t.is(stored.code, 0, stored.stderr)
  t.regex(stored.stderr, /^2,000 swaps, [\d,]+ pool events?, [\d,]+ token lines? in /m)
  await assertSameLines(t, streamed.file, stored.file)
  const inEvents = await run('swaps in', '--subject', 'swap.>', '--from', '2026-01-01T00:00:00Z')
  t.is(inEvents.code, 0, inEvents.stderr)
  await assertSameLines(t, inEvents.file, stored.file)

  // The stream forgets all: only the tables are left.
  await trimStream(first.jetStream, first.topology.feed.stream, (await feedEnd(first)) + 1)
  const refused = await run('gone', '--from', '1')
  t.is(refused.code, 1)
  t.regex(refused.stderr, /the stream holds \d+ to \d+, not 1: begin at a time/)
  const upTo = await run('up to', '--to', '5')
  t.is(upTo.code, 1)
  t.regex(upTo.stderr, /the stream holds \d+ to \d+, not 1: begin at a time/)
  const cut = await interruptedOften(t, join(folder, 'cut'), settings)
  t.is(await readFile(cut, 'utf8'), await readFile(stored.file, 'utf8'))

  for (const file of [streamed.file, cut]) {
    const second = await ingested(t, file)
    t.deepEqual(await verifiedHashes(t, second), expected)
  }
})

/** Ended by SIGINT or killed, again and again, resumed until it is done. */
async function interruptedOften(
  t: ExecutionContext,
  file: string,
  settings: Record<string, string>,
): Promise<string> {
  const prng = new Prng([4_711])
  let stops = 0
  for (let round = 0; ; round++) {
    const pace = stops < 6 ? ['--speed', '4'] : []
    const how = round === 0 ? [] : ['--resume']
    const child = startCommand(['replay', '--output', file, ...pace, ...how], settings)
    const ended = finished(child)
    if (stops < 6) await stopOnTheWay(file, child, prng.unit() < 0.5 ? 'SIGINT' : 'SIGKILL')
    const { code, stderr } = await ended
    if (code === 0) break
    stops++
    if (code === 1) t.regex(stderr, /stopped, its position is in "[^"]+": continue with --resume/)
    t.true(round < 20, stderr)
  }
  t.true(stops >= 3, `${stops} stops`)
  await t.throwsAsync(stat(`${file}.position`))
  return file
}

/** Once there is more in the file than before, and a position. */
async function stopOnTheWay(
  file: string,
  child: ChildProcess,
  signal: NodeJS.Signals,
): Promise<void> {
  const sizeOf = () =>
    stat(file).then(
      ({ size }) => size,
      () => 0,
    )
  const before = await sizeOf()
  let isOver = false
  child.once('exit', () => {
    isOver = true
  })
  await until('the replay has come on', 60_000, async () => isOver || (await sizeOf()) > before)
  child.kill(signal)
}

test('replays each event once across the seam between the tables and the stream', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  const events = smallMarket(72, 4_000)
  // Every fifth arrives when the tables are read in part, wherever it belongs.
  const early = events.filter((_, index) => index % 5 !== 0)
  const late = events.filter((_, index) => index % 5 === 0)
  await publishAll(pipeline, early, { eventsMax: 20 })
  await untilCaughtUp(pipeline, 60_000)
  for (const text of ['feed.>', 'swap.*']) {
    const pattern = parsePattern(text, pipeline.laneCount) as SubjectPattern
    const deps = { ...pipeline, pageRows: 300 }
    const { plan, position } = await planReplay(deps, pattern, EVERYTHING)
    t.true(plan.isStored)
    const out: string[] = []
    let retained: ReplayPosition = position
    let phases = new Set<string>()
    // Interrupted after each 9 steps, and resumed from the stored record in JSON.
    for (let round = 0; retained.phase !== 'done'; round++) {
      let left = 9
      for await (const step of replay(deps, plan, pattern, retained)) {
        if (left-- === 0) break
        out.push(...step.events.filter(isTraded).map(printed))
        retained = JSON.parse(JSON.stringify(step.position)) as ReplayPosition
        phases = phases.add(retained.phase)
      }
      if (round === 3 && text === 'feed.>') {
        await publishAll(pipeline, late, { eventsMax: 20 })
        await untilCaughtUp(pipeline, 60_000)
      }
    }
    t.deepEqual([...phases], ['tokens', 'tables', 'stream', 'done'])
    const expected = events.filter(isTraded).map(printed).sort()
    const wrong = out.sort().filter((line, at) => line !== expected[at])
    t.deepEqual(wrong.slice(0, 3), [], text)
    t.is(out.length, expected.length, text)
  }
})

test('slots that lie far apart are stepped over', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  const events = smallMarket(73, 300)
  const far: MarketEvent[] = [2 ** 40, 2 ** 53 - 1].map((slot) => ({
    kind: 'swap',
    swap: { ...SWAP, slot, pairAddress: poolOf(slot % 1_000), timestamp: Date.UTC(2026, 6, 1) },
  }))
  await publishAll(pipeline, [...events, ...far], { eventsMax: 20 })
  await untilCaughtUp(pipeline, 60_000)
  const pattern = parsePattern('swap.*', pipeline.laneCount) as SubjectPattern
  for (const fromMs of [null, Date.UTC(2026, 6, 1)]) {
    const { plan, position } = await planReplay(pipeline, pattern, { ...EVERYTHING, fromMs })
    const out: string[] = []
    let steps = 0
    for await (const step of replay(pipeline, plan, pattern, position)) {
      out.push(...step.events.filter(isTraded).map(printed))
      steps += 1
      if (steps > 1_000) break
    }
    t.true(steps < 300, `${steps} steps`)
    const wanted = [...events, ...far]
      .filter(isTraded)
      .filter((event) => atOf(event) >= (fromMs ?? 0))
    t.deepEqual(out.sort(), wanted.map(printed).sort())
  }
})

const atOf = (event: MarketEvent): number =>
  event.kind === 'swap'
    ? event.swap.timestamp
    : event.kind === 'token'
      ? 0
      : event.poolEvent.timestamp
const isTraded = ({ kind }: MarketEvent): boolean => kind !== 'token'

/** A published pool price that follows from the reserves is redundant. */
function printed(event: MarketEvent): string {
  return printEvent(event.kind === 'swap' ? { kind: 'swap', swap: asItCame(event.swap) } : event)
}

test('selects by subjects and times, and publishes each event once, a message each', async (t) => {
  const pipeline = await fullPipeline(t, 73, 1_000)
  const settings = settingsOf(pipeline)
  const print = (...options: string[]) => runHere(['replay', '--stdout', ...options], settings)
  const all = (await print()).stdout.trimEnd().split('\n')
  const swaps = all.map((line) => JSON.parse(line)).filter(({ kind }) => kind === 'swap')
  const ofVenue = async (...options: string[]) =>
    (await print(...options)).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ kind }) => kind === 'swap')
  const expected = swaps.filter(({ dex }) => dex === 2)
  t.true(expected.length > 10)
  t.deepEqual(await ofVenue('--subject', 'feed.venue_2.*'), expected)
  t.deepEqual(await ofVenue('--subject', 'feed.venue_2.>'), expected)
  const middle = swaps[500].timestamp
  t.deepEqual(
    await ofVenue('--from', `${middle}`, '--to', new Date(middle + 5_000).toISOString()),
    swaps.filter(({ timestamp }) => timestamp >= middle && timestamp <= middle + 5_000),
  )
  const lanes = await Promise.all(
    Array.from({ length: pipeline.laneCount }, (_, lane) =>
      ofVenue('--subject', `feed.*.*.${lane}`),
    ),
  )
  t.is(lanes.flat().length, swaps.length)
  t.true(lanes.every(({ length }) => length > 0))

  const { jetStream, prefix, natsUrl, recording } = pipeline
  const stream = `${prefix.replace('.', '')}_again`
  const subject = `${prefix}again`
  await jetStream.manager.streams.add({
    name: stream,
    subjects: [subject],
    max_bytes: 16 * 1024 * 1024,
  })
  t.teardown(() => jetStream.manager.streams.delete(stream).catch(() => {}))
  const published = await runHere(['replay', '--to-subject', subject], settings)
  t.is(published.code, 0, published.stderr)
  const reader = await connectJetStream(natsUrl, { name: 'swaptide-test', log: recording.log })
  t.teardown(() => reader.close())
  const messages: string[] = []
  for (let sequence = 1; sequence <= all.length; sequence++) {
    const message = await reader.messageAt(stream, sequence)
    messages.push(new TextDecoder().decode(message?.payload))
  }
  t.deepEqual(messages.sort(), all.sort())
  t.is(await reader.messageAt(stream, all.length + 1).catch(() => undefined), undefined)
  const future = await print('--from', '2099-01-01', '--subject', 'swap.>')
  t.is(future.code, 0, future.stderr)
  t.regex(
    future.stderr,
    /^nothing found: no swap or pool event of "swap\.>" from 2099-01-01T00:00:00\.000Z to now$/m,
  )
  const beyond = await print('--from', 'sequence:9999999999')
  t.is(beyond.code, 1)
  t.regex(beyond.stderr, /the stream holds 1 to \d+, not 9999999999: expected at most \d+$/m)
  const unheard = await runHere(['replay', '--to-subject', `${prefix}nobody`], settings)
  t.is(unheard.code, 0, unheard.stderr)
})

test('refuses invalid options without output', async (t) => {
  const pipeline = await openPipeline(t)
  const settings = settingsOf(pipeline)
  const folder = await temporaryFolder(t)
  const file = join(folder, 'events')
  await symlink(folder, join(folder, 'alias'))
  const cases: [string[], RegExp][] = [
    [
      ['--subject', 'feed.venue_99.*'],
      /--subject "feed.venue_99.\*": expected \* or one of venue_1 /,
    ],
    [['--subject', 'food.>'], /expected swap\. or feed\. first/],
    [
      ['--subject', 'feed.*.9.*'],
      new RegExp(`expected lanes of 0 to ${pipeline.laneCount - 1} or \\*`),
    ],
    [['--from', 'yesterday'], /--from "yesterday": expected a time/],
    [['--from', 'foo 1'], /--from "foo 1": expected a time like/],
    [['--from', '2026-02-30'], /--from "2026-02-30": the calendar has no day 2026-02-30/],
    [
      ['--to', '1784548800'],
      /--to "1784548800": looks like Unix seconds .*, or sequence:1784548800$/m,
    ],
    [['--from', '6', '--to', '5'], /--from "6": expected no later than to "5"/],
    [['--from', '2026-07-20', '--to', '2026-07-19'], /--from "2026-07-20": expected no later than/],
    [['--speed', '0'], /--speed "0": expected a number above 0, or max/],
    [['--resume'], /--resume needs --output FILE or --position FILE/],
    [['--resume', '--output', join(folder, 'none')], /no replay was interrupted there/],
    [['--to-subject', `${pipeline.prefix}feed.venue_1.0.0`], /that no stream of ours has/],
    [['--to-subject', '$JS.API.STREAM.DELETE.all'], /expected none that NATS reserves/],
    [['--to-subject', 'a.*'], /expected a subject without wildcards/],
    [['--stdout', '--to-subject', 'a'], /expected one of them/],
    [['--output', folder], /exists already/],
    [['--output', file, '--position', file], /expected two files/],
    [['--output', `${file}.new`, '--position', file], /expected two files/],
    [['--output', file, '--position', join(folder, 'alias', 'events')], /expected two files/],
  ]
  for (const [options, said] of cases) {
    const { code, stdout, stderr } = await runHere(['replay', ...options], settings)
    t.is(code, 2, options.join(' '))
    t.is(stdout, '')
    t.regex(stderr, said)
  }
  t.deepEqual(await readdir(folder), ['alias'])
})
