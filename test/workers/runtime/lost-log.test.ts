/**
 * FEED that trims messages, under lanes that are stopped, lag or restart: no event is published twice, and a lane
 * counts messages that it can no longer read from the tables.
 */
import test, { type ExecutionContext } from 'ava'
import { openReader, type StoredMessage } from '../../../streams/nats/jetstream.ts'
import { feedSubject, swapStreamSubject } from '../../../streams/nats/subject.ts'
import { streamState, trimStream } from '../../../streams/nats/topology.ts'
import { ledgerActor } from '../../../workers/ledger/actor.ts'
import { rankingActor } from '../../../workers/ranking/actor.ts'
import { ReaderLost } from '../../../workers/runtime/backoff.ts'
import type { CheckpointRow } from '../../../workers/runtime/checkpoint.ts'
import { LaneSource } from '../../../workers/runtime/lane/lane-source.ts'
import { verify } from '../../../workers/verify/verify.ts'
import { assertExact } from '../../simulation/judge.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { sampleSwap } from '../../support/market/sample-swap.ts'
import { assertTraders, untilRankingCaughtUp } from '../../support/ranking/ranking.ts'
import { assertLedger, untilLedgerCaughtUp } from '../../support/workers/ledger.ts'
import {
  feedEnd,
  openPipeline,
  type Pipeline,
  publishAll,
  readFeed,
  untilCaughtUp,
} from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket } from '../../support/workers/small-market.ts'

const ALL = ['pool', 'ledger', 'ranking']
const FEED_BYTES = 256 * 1024
const SHORTEST_WINDOW_NANOS = 100 * 1e6

/** The messages of SWAP. */
async function storedIn({ jetStream, topology, prefix }: Pipeline): Promise<StoredMessage[]> {
  const { stream } = topology.swap
  const { last } = await streamState(jetStream, stream)
  const reader = await openReader(jetStream, stream, swapStreamSubject(prefix), 1)
  const held: StoredMessage[] = []
  while (held.length < last) held.push(...(await reader.take(1024 * 1024, 5_000)))
  await reader.close()
  return held
}

async function assertAll(t: ExecutionContext, pipeline: Pipeline): Promise<void> {
  await untilLedgerCaughtUp(pipeline, 60_000)
  await untilRankingCaughtUp(pipeline, 60_000)
  await assertLedger(t, pipeline)
  await assertTraders(t, pipeline)
}

test.serial('does not publish again what FEED aged out', async (t) => {
  const pipeline = await openPipeline(t, { laneCount: 4 })
  const { jetStream, topology } = pipeline
  await jetStream.manager.streams.update(topology.feed.stream, {
    duplicate_window: SHORTEST_WINDOW_NANOS,
  })
  const events = smallMarket(910, 600)
  const first = await runWorker(t, pipeline, { actors: ALL })
  await publishAll(pipeline, events.slice(0, 300), { eventsMax: 20 })
  await untilRankingCaughtUp(pipeline)
  await untilLedgerCaughtUp(pipeline)
  await first.stop()
  const end = await feedEnd(pipeline)
  await trimStream(jetStream, topology.feed.stream, end + 1)
  await runWorker(t, pipeline, { actors: ALL })
  await publishAll(pipeline, events.slice(300), { eventsMax: 20 })
  await assertAll(t, pipeline)
  const said = (await readFeed(pipeline)).flatMap(({ events: of }) => of).length
  t.true(said > 0)
  t.is(said, events.slice(300).filter(({ kind }) => kind !== 'token').length)
})

test.serial('reads on after the lost end of FEED, and counts the missing messages', async (t) => {
  const pipeline = await openPipeline(t, { laneCount: 4 })
  const { jetStream, topology, recording } = pipeline
  const events = smallMarket(911, 900)
  const first = await runWorker(t, pipeline, { actors: ALL })
  await publishAll(pipeline, events.slice(0, 700), { eventsMax: 5 })
  await untilRankingCaughtUp(pipeline)
  await untilLedgerCaughtUp(pipeline)
  await first.stop()
  // State left by a machine that lost power: the same stream, and fewer messages.
  const { stream } = topology.feed
  const { config } = await jetStream.manager.streams.info(stream)
  await jetStream.manager.streams.delete(stream)
  await jetStream.manager.streams.add(config)
  await runWorker(t, pipeline, { actors: ALL })
  await publishAll(pipeline, events.slice(700), { eventsMax: 20 })
  await assertAll(t, pipeline)
  t.true(
    recording.lines.some((line) => /stream that lost its end|end that the stream lost/.test(line)),
  )
})

for (const { since, count } of [
  { since: 'fewer than it lost', count: 20 },
  { since: 'more than it lost', count: 400 },
]) {
  test.serial(
    `a SWAP that lost its end, and got ${since} since, is read on from there`,
    async (t) => {
      const pipeline = await openPipeline(t, { laneCount: 4 })
      const { jetStream, topology, recording } = pipeline
      const { stream } = topology.swap
      const events = smallMarket(930, 900)
      const stored = events.slice(0, 300)
      const worker = await runWorker(t, pipeline, { actors: ALL })
      await publishAll(pipeline, stored, { eventsMax: 5 })
      const held = await storedIn(pipeline)
      await publishAll(pipeline, events.slice(300, 500), { eventsMax: 5 })
      await untilCaughtUp(pipeline)
      await worker.stop()
      // State left by a machine that lost power: the same stream without its newest messages.
      const { config } = await jetStream.manager.streams.info(stream)
      await jetStream.manager.streams.delete(stream)
      await jetStream.manager.streams.add(config)
      for (const { subject, payload } of held) await jetStream.publish(subject, payload)
      await publishAll(pipeline, events.slice(500, 500 + count), { eventsMax: 5 })
      await runWorker(t, pipeline, { actors: ALL })
      await untilLedgerCaughtUp(pipeline)
      await untilRankingCaughtUp(pipeline)
      t.true((await verify(pipeline.db, { log: recording.log })).clean)
      await assertExact(t, pipeline, { arrived: events.slice(0, 500 + count) })
      t.true(
        recording.lines.some((line) =>
          /stream that lost its end|end that the stream lost/.test(line),
        ),
      )
    },
  )
}

test.serial('only a lane that FEED overtakes records the messages that it skips', async (t) => {
  const pipeline = await openPipeline(t, { laneCount: 4, feedMaxBytes: FEED_BYTES })
  const { db, jetStream, recording } = pipeline
  await runWorker(t, pipeline)
  const { feed } = pipeline.topology
  const stateOf = () => streamState(jetStream, feed.stream)
  for (let seed = 920; (await stateOf()).bytes < 0.6 * FEED_BYTES; seed++) {
    await publishAll(pipeline, smallMarket(seed, 100), { eventsMax: 20 })
    await untilCaughtUp(pipeline, 60_000)
  }
  const { first, last } = await stateOf()
  t.true(first === 1 && last > 20)
  const context = { db, jetStream, topology: pipeline.topology, lane: 0, log: recording.log }
  const sourceAt = async (sequence: number) => {
    const source = new LaneSource(rankingActor, context)
    t.is((await source.resume(feed, checkpointAt(feed.epoch, sequence))).sequence, sequence)
    return source
  }
  const recounts = async () => (await db.query('select from ranking_recount')).rowCount
  const [lagging, abreast] = [await sourceAt(4), await sourceAt(last)]
  t.false(await lagging.hasPassedOver(upTo(4), 1))
  await trimStream(jetStream, feed.stream, 6)
  t.false(await lagging.hasPassedOver(upTo(5), 1), 'the sixth is there')
  t.false(
    await lagging.hasPassedOver(upTo(4), 0),
    'nothing is passed over where nothing is at hand',
  )
  t.is(await recounts(), 0)
  t.true(await lagging.hasPassedOver(upTo(4), 1))
  t.is(await recounts(), 1)
  t.false(await abreast.hasPassedOver(upTo(last), 1))
  const later = new LaneSource(rankingActor, context)
  t.is((await later.resume(feed, checkpointAt(feed.epoch, 2))).sequence, 5)
  await jetStream.manager.streams.delete(feed.stream)
  await t.throwsAsync(lagging.hasPassedOver(upTo(5), 1), { instanceOf: ReaderLost })
})

test.serial(
  'counts messages trimmed after a quiet lane as lost only where they may have belonged to it',
  async (t) => {
    const pipeline = await openPipeline(t, { laneCount: 4, feedMaxBytes: FEED_BYTES })
    const { db, jetStream, topology, prefix, recording } = pipeline
    const { feed } = topology
    const say = (lane: number, bytes = 10) =>
      jetStream.publish(feedSubject(prefix, 1, lane, 0), new Uint8Array(bytes))
    const sourceFrom = async (sequence: number, seen: number) => {
      const source = new LaneSource(ledgerActor, {
        db,
        jetStream,
        topology,
        lane: 0,
        log: recording.log,
      })
      await source.resume(feed, checkpointAt(feed.epoch, sequence, seen))
      return source
    }
    await insertSwaps(db, [sampleSwap()])
    const audits = async () => (await db.query('delete from ledger_audit')).rowCount
    await say(0)
    for (let n = 2; n <= 18; n++) await say(1, FEED_BYTES / 30)
    const quiet = await sourceFrom(1, 0)
    t.is(await quiet.look(0), 1)
    t.is(quiet.seenSequence, 0, 'of what is not in, nothing is seen')
    t.is(await quiet.look(1), 1)
    t.is(quiet.seenSequence, 18)
    await trimStream(jetStream, feed.stream, 19)
    t.false(await quiet.hasPassedOver(upTo(1), 1))
    await sourceFrom(1, 18)
    t.is(await audits(), 0)

    await say(0)
    t.is(await quiet.look(1), 19)
    t.is(quiet.seenSequence, 18, 'the nineteenth is unread')
    await trimStream(jetStream, feed.stream, 20)
    t.is(await quiet.look(1), 0)
    t.is(quiet.seenSequence, 18, 'it was let go of')
    await sourceFrom(1, 18)
    t.is(await audits(), 1)
    // The seventeenth and later ones may have belonged to it.
    await sourceFrom(1, 16)
    t.is(await audits(), 1)
    // A stream that ends before the seen sequence is another stream.
    await sourceFrom(1, 20)
    t.is(await audits(), 1)
  },
)

test.serial('an installation that was stopped until FEED was empty recounts nothing', async (t) => {
  const pipeline = await openPipeline(t, { laneCount: 4 })
  const { db, jetStream, topology, recording } = pipeline
  const events = smallMarket(940, 600)
  const pools = await runWorker(t, pipeline)
  const folds = await runWorker(t, pipeline, { actors: ['ledger', 'ranking'] })
  await publishAll(pipeline, events.slice(0, 300), { eventsMax: 20 })
  await untilRankingCaughtUp(pipeline)
  await untilLedgerCaughtUp(pipeline)
  await Promise.all([pools.stop(), folds.stop()])
  const end = await feedEnd(pipeline)
  const { rows } = await db.query("select sequence from checkpoint where actor = 'ledger'")
  t.true(rows.some(({ sequence }) => sequence < end))
  await trimStream(jetStream, topology.feed.stream, end + 1)
  const before = recording.lines.length
  await runWorker(t, pipeline, { actors: ALL })
  await publishAll(pipeline, events.slice(300), { eventsMax: 20 })
  await assertAll(t, pipeline)
  t.deepEqual(
    recording.lines.slice(before).filter((line) => /no longer holds|audit|anew/.test(line)),
    [],
  )
})

const upTo = (sequence: number) => ({ sequence, storedMs: undefined })
const checkpointAt = (streamEpoch: string, sequence: number, seen = 0): CheckpointRow => ({
  ...{ stream_epoch: streamEpoch, sequence, message_ms: null, seen_sequence: seen },
  commit_number: 1,
  ...{ transaction_id: null, first_slots: [], last_slots: [], feed_epoch: null, feed_sequence: 0 },
})
