/** Poison among good events: one dead letter each, with its reason; the rest proceeds. */

import test from 'ava'
import fc from 'fast-check'
import { runCounts } from '../../../deploy/ingest/run-counts.ts'
import type { MarketEvent } from '../../../domain/events/event.ts'
import type { Token } from '../../../domain/events/token.ts'
import { encodeEventBatch } from '../../../streams/codec/event-codec.ts'
import { feedSubject, subjectOfLane, swapSubject } from '../../../streams/nats/subject.ts'
import { feedHead } from '../../../streams/nats/topology.ts'
import { retryDeadLetters } from '../../../workers/dead-letters.ts'
import { verify } from '../../../workers/verify/verify.ts'
import { assertExact } from '../../simulation/judge.ts'
import { poolOf, swapEvent } from '../../support/events/sample-event.ts'
import { untilRankingCaughtUp } from '../../support/ranking/ranking.ts'
import { untilLedgerCaughtUp } from '../../support/workers/ledger.ts'
import {
  openPipeline,
  type Pipeline,
  publishAll,
  until,
  untilCaughtUp,
} from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket } from '../../support/workers/small-market.ts'

/** Higher than that of any lane. */
const NOBODYS_LANE = 9

type Letter = { sequence: number; part: number; subject: string; reason: string }

async function lettersOf(pipeline: Pipeline): Promise<Letter[]> {
  const { rows } = await pipeline.db.query<Letter>(
    'select sequence, part, subject, reason from dead_letter order by id',
  )
  return rows
}

test('garbage and bad events become dead letters one by one, each with its reason', async (t) => {
  const pipeline = await openPipeline(t)
  const { jetStream, prefix, laneCount } = pipeline
  const worker = await runWorker(t, pipeline)
  const events = smallMarket(600, 300)
  const swap = events.flatMap((event) => (event.kind === 'swap' ? [event.swap] : []))[0]!
  const subject = swapSubject(prefix, { kind: 'swap', swap }, laneCount)
  await publishAll(pipeline, events.slice(0, 100))
  const garbage = await jetStream.publish(subject, Buffer.from('this is no protobuf at all'))
  const mixed: MarketEvent[] = [
    { kind: 'swap', swap: { ...swap, ixIndex: 7_001 } },
    { kind: 'swap', swap: { ...swap, ixIndex: 7_002, signature: 'tooShort' } },
    { kind: 'swap', swap: { ...swap, ixIndex: 7_003 } },
    { kind: 'swap', swap: { ...swap, ixIndex: 7_004, tokenAmount: 0 } },
  ]
  const batch = await jetStream.publish(subject, encodeEventBatch(mixed), {
    headers: { 'Swaptide-Run': 'mixed' },
  })
  await publishAll(pipeline, events.slice(100))
  await untilCaughtUp(pipeline)
  const letters = await lettersOf(pipeline)
  t.deepEqual(
    letters.map(({ sequence, part }) => [sequence, part]),
    [
      [garbage.sequence, 0],
      [batch.sequence, 1],
      [batch.sequence, 3],
    ],
  )
  t.regex(letters[0]!.reason, /^does not parse: /)
  t.regex(letters[1]!.reason, /^signature "tooShort": expected a signature/)
  t.regex(letters[2]!.reason, /^token_amount 0: expected an integer of 1/)
  t.like(await runCounts(pipeline.db, 'mixed'), { accepted: 2, dead: 2 })
  const good = [mixed[0]!, mixed[2]!]
  await assertExact(t, pipeline, { arrived: [...events, ...good], deadLetters: 3 })
  t.is(worker.failure(), undefined)
})

test('a bad field of a token line on the wire costs itself only, and no NUL reaches the tables', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  const token = (n: number, more: Partial<Token>): MarketEvent => ({
    kind: 'token',
    token: { tokenAddress: poolOf(n), slot: 1, decimals: 6, supply: 7, ...more },
  })
  const tokens = [
    token(0, { symbol: 'PAD\0\0\0', name: ' Padded \0', sector: '\0meme' }),
    token(1, { symbol: 'a\0b', name: 'Good' }),
    token(2, { name: 'x'.repeat(201), creator: 'nobody', symbol: 'TWO' }),
    token(3, { decimals: 99, sector: 'a\0' }),
  ]
  const { prefix, laneCount, jetStream } = pipeline
  for (const each of tokens) {
    // Written by another program than ours: verbatim.
    const subject = swapSubject(prefix, each, laneCount)
    await jetStream.publish(subject, encodeEventBatch([each]))
  }
  await untilCaughtUp(pipeline)
  t.deepEqual(await lettersOf(pipeline), [])
  const { rows } = await pipeline.db.query(
    'select creator, decimals, symbol, name, supply, sector, sector_key from token order by id',
  )
  const stored = (more: object) => ({
    ...{ creator: null, decimals: 6, symbol: null, name: null, supply: 7, sector: null },
    ...{ sector_key: null },
    ...more,
  })
  const byText = (row: object): string => JSON.stringify(row)
  t.deepEqual(
    rows.map((row) => byText({ ...row, supply: Number(row.supply) })).toSorted(),
    [
      stored({ symbol: 'PAD', name: 'Padded', sector: 'meme', sector_key: 'meme' }),
      stored({ name: 'Good' }),
      stored({ symbol: 'TWO' }),
      stored({ decimals: null, sector: 'a', sector_key: 'a' }),
    ]
      .map(byText)
      .toSorted(),
  )
  t.true((await verify(pipeline.db, { log: pipeline.recording.log })).clean)
})

test('times in microseconds are dead letters, and rankings go on', async (t) => {
  const pipeline = await openPipeline(t)
  const worker = await runWorker(t, pipeline, { actors: ['pool', 'ranking'] })
  const events = smallMarket(604, 100)
  const late = events.map((event): MarketEvent => {
    if (event.kind !== 'swap') return event
    const { swap } = event
    return { kind: 'swap', swap: { ...swap, ixIndex: 7_001, timestamp: swap.timestamp * 1_000 } }
  })
  await publishAll(pipeline, [...events, ...late.slice(0, 10)])
  await untilRankingCaughtUp(pipeline)
  await until('the rankings are rolled', 60_000, async () => {
    const { rowCount } = await pipeline.db.query('select from ranking_roll')
    return rowCount === 1
  })
  t.is(worker.failure()?.stack, undefined)
  const letters = await lettersOf(pipeline)
  t.is(letters.length, late.slice(0, 10).filter(({ kind }) => kind === 'swap').length)
  for (const { reason } of letters) t.regex(reason, /^timestamp \d{16}: expected Unix milliseconds/)
})

test('a dead letter sent again unchanged is stored with the same reason', async (t) => {
  const pipeline = await openPipeline(t)
  const { jetStream, prefix, laneCount, db, topology } = pipeline
  await runWorker(t, pipeline)
  const swap = smallMarket(601, 50).flatMap((event) =>
    event.kind === 'swap' ? [event.swap] : [],
  )[0]!
  const bad: MarketEvent = { kind: 'swap', swap: { ...swap, signature: 'tooShort' } }
  const subject = swapSubject(prefix, bad, laneCount)
  await jetStream.publish(subject, encodeEventBatch([{ kind: 'swap', swap }, bad]))
  await untilCaughtUp(pipeline)
  const [sent, ...more] = await retryDeadLetters(db, { jetStream, topology }, 'all', 'test')
  t.deepEqual(more, [])
  t.deepEqual(
    await retryDeadLetters(db, { jetStream, topology }, [sent!], 'test'),
    [],
    'it waits no more',
  )
  await untilCaughtUp(pipeline)
  const letters = await lettersOf(pipeline)
  t.is(letters.length, 2)
  t.is(letters[1]!.reason, letters[0]!.reason)
})

test('no bytes stop a worker', async (t) => {
  const pipeline = await openPipeline(t)
  const { jetStream, prefix, laneCount } = pipeline
  const worker = await runWorker(t, pipeline)
  const events = smallMarket(602, 60)
  const sound = Buffer.from(encodeEventBatch(events.slice(0, 20)))
  const subject = swapSubject(prefix, events.find((event) => event.kind === 'swap')!, laneCount)
  const flips = fc.array(fc.record({ at: fc.nat(sound.length - 1), to: fc.nat(255) }), {
    minLength: 1,
    maxLength: 4,
  })
  for (const changes of fc.sample(flips, { numRuns: 400, seed: 602 })) {
    const spoilt = Buffer.from(sound)
    for (const { at, to } of changes) spoilt[at] = to
    await jetStream.publish(subject, spoilt)
  }
  await untilCaughtUp(pipeline)
  t.is(worker.failure()?.stack, undefined)
  t.true((await lettersOf(pipeline)).length > 100)
  const dead = (await lettersOf(pipeline)).length
  await publishAll(pipeline, events)
  await untilCaughtUp(pipeline)
  t.is((await lettersOf(pipeline)).length, dead)
  t.true((await verify(pipeline.db, { log: pipeline.recording.log })).clean)
})

test.serial('an invalid message of FEED, or one without a wallet, stops no consumer', async (t) => {
  const pipeline = await openPipeline(t)
  const { db, jetStream, prefix, topology } = pipeline
  await runWorker(t, pipeline)
  const events = smallMarket(603, 200)
  await publishAll(pipeline, events.slice(0, 100), { eventsMax: 20 })
  await untilCaughtUp(pipeline)
  const worker = await runWorker(t, pipeline, { actors: ['ledger', 'ranking'] })
  const nobody = swapEvent({ user: poolOf(9_001), tokenAddress: poolOf(9_002) })
  const poison = [
    Buffer.from('this is no protobuf at all'),
    // A swap without anything, and one of a mint and a wallet that are no addresses.
    Buffer.from('0a00', 'hex'),
    Buffer.from('0a082202000132020001', 'hex'),
    Buffer.from(encodeEventBatch([nobody])),
  ]
  const subject = feedSubject(prefix, 1, 0, NOBODYS_LANE)
  for (const bytes of poison) await jetStream.publish(subject, bytes)
  // Decoded only by the ranking, which consumes all of FEED.
  await jetStream.publish(feedSubject(prefix, 1, 999_999_999, 0), poison[1]!)
  await publishAll(pipeline, events.slice(100), { eventsMax: 20 })
  await untilLedgerCaughtUp(pipeline)
  await untilRankingCaughtUp(pipeline)
  t.is(worker.failure()?.stack, undefined)
  const { rows } = await db.query<{ actor: string; reason: string }>(
    'select actor, reason from dead_letter order by actor, sequence',
  )
  const refused = [
    'does not parse',
    'address is not interned',
    'address is not interned',
    'address is not interned',
  ]
  t.deepEqual(
    rows.map(({ actor, reason }) => `${actor}: ${reason.split(':')[0]}`),
    [
      ...refused.map((reason) => `ledger: ${reason}`),
      ...[...refused, 'does not parse'].map((reason) => `ranking: ${reason}`),
    ],
  )
  const head = await feedHead(jetStream, topology, 0)
  t.is((await retryDeadLetters(db, { jetStream, topology }, 'all', 'test')).length, 0)
  t.is(await feedHead(jetStream, topology, 0), head)
  t.true((await verify(db, { log: pipeline.recording.log })).clean)
})

test.serial(
  'letters and headers that others wrote stop no lane, and letters find the lanes that there are',
  async (t) => {
    const pipeline = await openPipeline(t)
    const { db, jetStream, prefix, laneCount, topology } = pipeline
    const worker = await runWorker(t, pipeline)
    const events = smallMarket(604, 60)
    const swaps = events.filter(({ kind }) => kind === 'swap')
    const [first, ...others] = swaps
    for (const run of ['a\0b', 'x'.repeat(9_000)]) {
      await jetStream.publish(swapSubject(prefix, first!, laneCount), encodeEventBatch([first!]), {
        headers: { 'Swaptide-Run': run },
      })
    }
    // Dead letters of streams that had ten lanes: all are swaps of lanes that are none any more, or another's by now.
    const insert = `
    insert into dead_letter (actor, lane, stream_epoch, sequence, part, subject, reason, payload)
    values ('pool', 9, 'before', $1, 0, $2, 'as it was', $3)`
    const subject = subjectOfLane(swapSubject(prefix, first!, laneCount), 9)
    await db.query(insert, [1, subject, encodeEventBatch(others.slice(0, 20))])
    for (const [at, event] of others.slice(20).entries()) {
      await db.query(insert, [2 + at, subject, encodeEventBatch([event])])
    }
    await db.query(insert, [1_000, subject, Buffer.from('no protobuf')])
    const sent = await retryDeadLetters(db, { jetStream, topology }, 'all', 'test')
    t.is(sent.length, others.length - 20 + 2)
    await untilCaughtUp(pipeline)
    t.is(worker.failure()?.stack, undefined)
    const { rows } = await db.query<{ swaps: number }>(
      'select count(*)::integer as swaps from swap',
    )
    t.is(rows[0]?.swaps, swaps.length)
    t.is((await lettersOf(pipeline)).at(-1)?.reason.split(':')[0], 'does not parse')
  },
)
