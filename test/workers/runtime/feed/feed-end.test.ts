/**
 * A FEED that lost its end, as a lane finds it: each way in which its published messages may be missing or present, and
 * the resulting epoch of the stream. Against the real server.
 */
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { encodeFeedBatch } from '../../../../streams/codec/event-codec.ts'
import { feedSubject } from '../../../../streams/nats/subject.ts'
import {
  ensureTopology,
  renewEpoch,
  sequenceToday,
  streamExtent,
  trimStream,
} from '../../../../streams/nats/topology.ts'
import { FeedCut, ReaderLost } from '../../../../workers/runtime/backoff.ts'
import { FeedEnd } from '../../../../workers/runtime/feed/feed-end.ts'
import { LANE_COUNT, openPipeline, type Pipeline } from '../../../support/workers/pipeline.ts'

/** Messages of these pool lanes, one after the other; answers with the last sequence. */
async function publish({ jetStream, prefix }: Pipeline, lanes: readonly number[]): Promise<number> {
  let last = 0
  for (const [at, poolLane] of lanes.entries()) {
    const payload = encodeFeedBatch({ poolLane, commitNumber: at + 1, part: 0 }, [])
    last = (await jetStream.publish(feedSubject(prefix, 1, 0, poolLane), payload)).sequence
  }
  return last
}

/** State left by a machine that lost power: the same stream, up to a message of these. */
async function loseEnd(pipeline: Pipeline, stored: readonly number[]): Promise<void> {
  const { jetStream, topology } = pipeline
  const { stream } = topology.feed
  const { config } = await jetStream.manager.streams.info(stream)
  await jetStream.manager.streams.delete(stream)
  await jetStream.manager.streams.add(config)
  await publish(pipeline, stored)
}

const now = ({ jetStream, prefix }: Pipeline) =>
  ensureTopology(jetStream, { prefix, laneCount: LANE_COUNT })

async function opened(pipeline: Pipeline, lane: number, sequence: number): Promise<FeedEnd> {
  const { jetStream, recording, topology } = pipeline
  const end = new FeedEnd({ jetStream, log: recording.log }, lane)
  const { feed } = topology
  await end.open(feed, { feed_epoch: feed.epoch, feed_sequence: sequence })
  return end
}

async function assertRenewed(t: ExecutionContext, pipeline: Pipeline, through: number) {
  const { feed } = await now(pipeline)
  const { epoch } = pipeline.topology.feed
  t.not(feed.epoch, epoch)
  t.deepEqual(feed.before, [{ epoch, through }])
}

test('does not count retained or aged-out messages of FEED as lost', async (t) => {
  const pipeline = await openPipeline(t)
  const last = await publish(pipeline, [0, 1, 0, 1])
  const end = await opened(pipeline, 1, last)
  await t.notThrowsAsync(end.expectHeld())
  t.deepEqual(end.newest(), { epoch: pipeline.topology.feed.epoch, sequence: last })
  await publish(pipeline, [0])
  await trimStream(pipeline.jetStream, pipeline.topology.feed.stream, last + 1)
  await t.notThrowsAsync(end.expectHeld())
  t.is((await now(pipeline)).feed.epoch, pipeline.topology.feed.epoch)
})

test('a lane whose newest message is missing gives FEED another epoch', async (t) => {
  const pipeline = await openPipeline(t)
  const end = await opened(pipeline, 1, await publish(pipeline, [0, 1, 0, 1]))
  await loseEnd(pipeline, [0, 1])
  await t.throwsAsync(end.expectHeld(), { instanceOf: FeedCut })
  await assertRenewed(t, pipeline, 2)
  await t.throwsAsync(end.expectHeld(), { instanceOf: ReaderLost }, 'it is told by whoever noticed')
})

test('a lane whose sequence now belongs to another lane gives FEED another epoch, also after a restart', async (t) => {
  const pipeline = await openPipeline(t)
  const last = await publish(pipeline, [0, 1, 0, 1])
  await loseEnd(pipeline, [0, 1, 0, 0, 0, 0])
  // A process of today, which knows of the checkpoint only.
  await t.throwsAsync(opened(pipeline, 1, last), { instanceOf: FeedCut })
  await assertRenewed(t, pipeline, last - 1)
})

test('expects nothing of a FEED that was recreated', async (t) => {
  const pipeline = await openPipeline(t)
  const { jetStream, recording, topology } = pipeline
  const end = new FeedEnd({ jetStream, log: recording.log }, 0)
  await end.open(topology.feed, { feed_epoch: 'another', feed_sequence: 1_000 })
  t.deepEqual(end.newest(), { epoch: null, sequence: 0 })
})

test('several lanes derive one epoch for a loss, and another for a second loss', async (t) => {
  const pipeline = await openPipeline(t)
  const { jetStream, topology } = pipeline
  const { stream, epoch } = topology.feed
  await publish(pipeline, [0, 0, 0, 0])
  await Promise.all([1, 2, 3].map(() => renewEpoch(jetStream, stream, epoch, 3)))
  const second = (await now(pipeline)).feed
  t.deepEqual(second.before, [{ epoch, through: 3 }])
  await renewEpoch(jetStream, stream, epoch, 1)
  t.deepEqual((await now(pipeline)).feed, second, 'word of the first loss comes late')
  await renewEpoch(jetStream, stream, second.epoch, 2)
  const third = (await now(pipeline)).feed
  t.is(new Set([epoch, second.epoch, third.epoch]).size, 3)
  const extent = await streamExtent(jetStream, stream)
  t.deepEqual(extent?.before, third.before)
  t.is(extent?.last, 4, 'what it holds it keeps')
  t.is(sequenceToday(third, third.epoch, 9), 9)
  t.is(sequenceToday(third, second.epoch, 9), 2)
  t.is(sequenceToday(third, epoch, 9), 2)
  t.is(sequenceToday(third, epoch, 1), 1)
  t.is(sequenceToday(third, 'another', 1), undefined)
})

test('maps a position across losses to the newest message that survived all of them', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(100), { maxLength: 8 }),
      fc.nat(8),
      fc.nat(100),
      (cuts, at, read) => {
        const before = cuts.map((through, index) => ({ epoch: `e${index}`, through }))
        const stayed = cuts.slice(at).reduce((least, cut) => Math.min(least, cut), read)
        const today = sequenceToday(
          { epoch: 'now', before },
          at < cuts.length ? `e${at}` : 'now',
          read,
        )
        t.is(today, at < cuts.length ? stayed : read)
      },
    ),
  )
})
