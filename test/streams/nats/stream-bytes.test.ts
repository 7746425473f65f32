/** The bytes of streams are a setting that a start applies to streams that exist. Against the real server. */
import test from 'ava'
import { type JetStream, StreamFull } from '../../../streams/nats/jetstream.ts'
import { feedStreamSubject, swapStreamSubject } from '../../../streams/nats/subject.ts'
import { ensureTopology, streamState, type Topology } from '../../../streams/nats/topology.ts'
import { openPipeline, STREAM_BYTES } from '../../support/workers/pipeline.ts'

const MIB = 1024 * 1024

async function boundsOf(jetStream: JetStream, { swap, feed }: Topology): Promise<number[]> {
  const states = [swap, feed].map(({ stream }) => streamState(jetStream, stream))
  return (await Promise.all(states)).map(({ maxBytes }) => maxBytes)
}

test('a start applies sizes to existing streams, and leaves them without the settings', async (t) => {
  const { jetStream, prefix, topology } = await openPipeline(t)
  const bounds = () => boundsOf(jetStream, topology)
  await ensureTopology(jetStream, { prefix, swapMaxBytes: 32 * MIB, feedMaxBytes: 96 * MIB })
  t.deepEqual(await bounds(), [32 * MIB, 96 * MIB])
  await ensureTopology(jetStream, { prefix })
  t.deepEqual(await bounds(), [32 * MIB, 96 * MIB])
  await ensureTopology(jetStream, { prefix, feedMaxBytes: 80 * MIB })
  t.deepEqual(await bounds(), [32 * MIB, 80 * MIB])
})

test('a part that runs does not take back the sizes of one that started later', async (t) => {
  const { jetStream, prefix, topology } = await openPipeline(t)
  await ensureTopology(jetStream, { prefix, swapMaxBytes: 32 * MIB, feedMaxBytes: 32 * MIB })
  // Workers look at streams again, which may have been recreated.
  await ensureTopology(jetStream, topology)
  t.deepEqual(await boundsOf(jetStream, topology), [32 * MIB, 32 * MIB])
  await jetStream.manager.streams.delete(topology.feed.stream)
  await ensureTopology(jetStream, topology)
  t.deepEqual(await boundsOf(jetStream, topology), [32 * MIB, STREAM_BYTES])
})

test('a smaller FEED drops its oldest messages, a smaller SWAP refuses new ones and drops none', async (t) => {
  const { jetStream, prefix, topology } = await openPipeline(t)
  const { swap, feed } = topology
  const payload = new Uint8Array(512 * 1024)
  const subjects = [swapStreamSubject(prefix), feedStreamSubject(prefix)]
  const [ofSwap = '', ofFeed = ''] = subjects.map((each) => each.replaceAll('*', '0'))
  for (let message = 0; message < 8; message++) {
    await jetStream.publish(ofSwap, payload)
    await jetStream.publish(ofFeed, payload)
  }
  await ensureTopology(jetStream, { prefix, swapMaxBytes: 2 * MIB, feedMaxBytes: 2 * MIB })
  t.like(await streamState(jetStream, swap.stream), { first: 1, last: 8 })
  const held = await streamState(jetStream, feed.stream)
  t.true(held.first > 1 && held.bytes <= 2 * MIB, JSON.stringify(held))
  t.is(held.last, 8)
  await t.throwsAsync(jetStream.publish(ofSwap, payload), { instanceOf: StreamFull })
  await jetStream.publish(ofFeed, payload)
  await ensureTopology(jetStream, { prefix, swapMaxBytes: 8 * MIB })
  t.is((await jetStream.publish(ofSwap, payload)).sequence, 9)
})

test('a size that the server has no room for is refused by name, for existing and for new streams', async (t) => {
  const { jetStream, prefix, topology } = await openPipeline(t)
  const tooMuch = { prefix, feedMaxBytes: 4096 * 1024 * MIB }
  const message = /^FEED_BYTES 4096GB: NATS has no room for it: raise max_file_store/
  await t.throwsAsync(ensureTopology(jetStream, tooMuch), { message })
  t.deepEqual(await boundsOf(jetStream, topology), [STREAM_BYTES, STREAM_BYTES])
  await jetStream.manager.streams.delete(topology.feed.stream)
  await t.throwsAsync(ensureTopology(jetStream, tooMuch), { message })
})
