/** The lane count of streams is that of their creation. Against the real server. */
import test from 'ava'
import { DEFAULT_LANE_COUNT } from '../../../streams/nats/lane.ts'
import { ensureTopology } from '../../../streams/nats/topology.ts'
import { openPipeline } from '../../support/workers/pipeline.ts'

const OTHER_COUNT = DEFAULT_LANE_COUNT + 2

test('retains the lane count of streams that were created with another than the default', async (t) => {
  const { jetStream, prefix } = await openPipeline(t, { laneCount: OTHER_COUNT })
  const topology = await ensureTopology(jetStream, { prefix })
  t.is(topology.laneCount, OTHER_COUNT)
  await t.throwsAsync(ensureTopology(jetStream, { prefix, laneCount: DEFAULT_LANE_COUNT }), {
    message: new RegExp(`was created with ${OTHER_COUNT} lanes, not ${DEFAULT_LANE_COUNT}`),
  })
})

test('a stream that was lost is created with the count of the one that is left', async (t) => {
  const { jetStream, topology, prefix } = await openPipeline(t, { laneCount: OTHER_COUNT })
  await jetStream.manager.streams.delete(topology.swap.stream)
  const again = await ensureTopology(jetStream, { prefix })
  t.is(again.laneCount, OTHER_COUNT)
  t.not(again.swap.epoch, topology.swap.epoch)
  t.is(again.feed.epoch, topology.feed.epoch)
})

test('new streams have the default count', async (t) => {
  const { jetStream, topology, prefix } = await openPipeline(t, { laneCount: OTHER_COUNT })
  for (const { stream } of [topology.swap, topology.feed]) {
    await jetStream.manager.streams.delete(stream)
  }
  t.is((await ensureTopology(jetStream, { prefix })).laneCount, DEFAULT_LANE_COUNT)
})
