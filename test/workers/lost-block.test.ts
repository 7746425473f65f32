/**
 * Streams that lost messages in their midst to a damaged file: lanes report lost messages, and tables that are folded
 * from FEED are recomputed from the swaps. A real server whose blocks are damaged while it is down.
 */
import test, { type ExecutionContext } from 'ava'
import { Registry } from 'prom-client'
import { parsePattern, type SubjectPattern } from '../../streams/nats/subject.ts'
import { trimStream } from '../../streams/nats/topology.ts'
import { planReplay, replay } from '../../workers/replay/replay.ts'
import { verify } from '../../workers/verify/verify.ts'
import { assertTraders, untilRankingCaughtUp } from '../support/ranking/ranking.ts'
import { damageablePipeline } from '../support/servers/damaged-stream.ts'
import { assertLedger, untilLedgerCaughtUp } from '../support/workers/ledger.ts'
import {
  feedEnd,
  openPipeline,
  type Pipeline,
  publishAll,
  publishInSteps,
  readFeed,
  until,
  untilCaughtUp,
} from '../support/workers/pipeline.ts'
import { runWorker } from '../support/workers/running-worker.ts'
import { smallMarket } from '../support/workers/small-market.ts'

const BOUND_MS = 60_000
type LostRow = { actor: string; sequence: number; message_count: number }

async function lostRows({ db }: Pipeline): Promise<LostRow[]> {
  const { rows } = await db.query<LostRow>(
    'select actor, sequence::int, message_count::int from lost_message order by actor, sequence',
  )
  return rows
}

async function assertExactTables(t: ExecutionContext, pipeline: Pipeline): Promise<void> {
  await untilCaughtUp(pipeline, BOUND_MS)
  await untilLedgerCaughtUp(pipeline, BOUND_MS)
  await untilRankingCaughtUp(pipeline, BOUND_MS)
  await assertLedger(t, pipeline)
  await assertTraders(t, pipeline)
  const { db, recording } = pipeline
  const report = await verify(db, { log: recording.log })
  t.true(report.clean, JSON.stringify(report.tables.filter(({ equal }) => !equal)))
}

/** How many messages a replay of the whole stream reports as missing. */
async function lostFromReplay(pipeline: Pipeline, text: string): Promise<number[]> {
  const { db, jetStream, topology, laneCount } = pipeline
  const pattern = parsePattern(text, laneCount) as SubjectPattern
  const lost: number[] = []
  const onLost = ({ messages }: { messages: number }) => lost.push(messages)
  const deps = { db, jetStream, topology, onLost }
  const bounds = { fromMs: null, toMs: null, fromSequence: 1, toSequence: null }
  const { plan, position } = await planReplay(deps, pattern, bounds)
  for await (const { position: at } of replay(deps, plan, pattern, position)) {
    if (at.phase === 'done') break
  }
  return lost
}

const lostBy = async (metrics: Registry, actor: string): Promise<number> => {
  const text = await metrics.metrics()
  return Number(
    new RegExp(`swaptide_lost_messages_total\\{actor="${actor}"\\} (\\d+)`).exec(text)?.[1],
  )
}

test.serial('lanes of FEED report lost messages and recompute what they held', async (t) => {
  const { pipeline, damage } = await damageablePipeline(t)
  const { topology, recording } = pipeline
  const events = smallMarket(2_700, 900)
  const first = await runWorker(t, pipeline, { actors: ['pool'] })
  await publishAll(pipeline, events.slice(0, 500), { eventsMax: 10 })
  await untilCaughtUp(pipeline, BOUND_MS)
  // Both read and unread messages of a lane are damaged.
  const metrics = new Registry()
  const early = await runWorker(t, pipeline, { actors: ['ledger', 'ranking'] })
  await untilLedgerCaughtUp(pipeline, BOUND_MS)
  await early.stop()
  const readTo = await feedEnd(pipeline)
  await publishInSteps(pipeline, events.slice(500, 800), { boundMs: BOUND_MS })
  await first.stop()
  const unread = (await readFeed(pipeline)).filter(({ sequence }) => sequence > readTo)
  const newest = new Map(unread.map(({ subject, sequence }) => [subject, sequence]))
  const middle = unread.find(({ subject, sequence }) => newest.get(subject)! > sequence)!
  const lost = [middle.sequence]
  t.true(middle.events.length > 0)
  await damage(topology.feed.stream, lost)
  await runWorker(t, pipeline, { actors: ['pool', 'ledger', 'ranking'], metrics })
  await publishAll(pipeline, events.slice(800), { eventsMax: 10 })
  await assertExactTables(t, pipeline)
  const rows = await lostRows(pipeline)
  t.deepEqual(rows, [
    { actor: 'ledger', sequence: middle.sequence, message_count: 1 },
    { actor: 'ranking', sequence: middle.sequence, message_count: 1 },
  ])
  for (const actor of ['ledger', 'ranking']) t.is(await lostBy(metrics, actor), 1)
  t.deepEqual(await lostFromReplay(pipeline, 'feed.>'), [1])
  const errors = recording.lines.filter((line) => line.includes('missing predecessor'))
  t.is(errors.length, 2, errors.join('\n'))
})

test.serial(
  'a lane of SWAP reports messages that the stream cannot deliver, and continues',
  async (t) => {
    const { pipeline, damage } = await damageablePipeline(t)
    const { topology, recording, db } = pipeline
    const events = smallMarket(2_701, 300)
    await publishAll(pipeline, events, { eventsMax: 10 })
    const swap = topology.swap.stream
    await damage(swap, [5])
    const metrics = new Registry()
    await runWorker(t, pipeline, { actors: ['pool'], metrics })
    await untilCaughtUp(pipeline, BOUND_MS)
    await until('it is reported', BOUND_MS, async () => (await lostRows(pipeline)).length > 0)
    const rows = await lostRows(pipeline)
    t.deepEqual(
      rows.map(({ actor, message_count }) => [actor, message_count]),
      [['pool', 1]],
    )
    t.is(await lostBy(metrics, 'pool'), 1)
    t.deepEqual(await lostFromReplay(pipeline, 'swap.>'), [1])
    t.true(recording.lines.some((line) => line.includes('"reason":"undeliverable"')))
    const stored = await db.query<{ count: number }>('select count(*)::int as count from swap')
    t.true(stored.rows[0]!.count > 0)
  },
)

test.serial(
  'reports messages lost in the midst of SWAP once, and trimmed messages never',
  async (t) => {
    const pipeline = await openPipeline(t)
    const { jetStream, topology, recording } = pipeline
    const { stream } = topology.swap
    const events = smallMarket(2_702, 300)
    await publishAll(pipeline, events.slice(0, 200), { eventsMax: 10 })
    await trimStream(jetStream, stream, 4)
    for (const sequence of [7, 8]) await jetStream.manager.streams.deleteMessage(stream, sequence)
    await runWorker(t, pipeline)
    await untilCaughtUp(pipeline, BOUND_MS)
    await publishAll(pipeline, events.slice(200), { eventsMax: 10 })
    await untilCaughtUp(pipeline, BOUND_MS)
    t.deepEqual(await lostRows(pipeline), [{ actor: 'pool', sequence: 7, message_count: 2 }])
    const errors = recording.lines.filter((line) => line.includes('deleted in the midst'))
    t.is(errors.length, 1)
  },
)
