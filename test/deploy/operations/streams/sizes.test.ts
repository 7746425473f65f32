/** The hours that streams hold: computed by hand, and from the messages of real streams. */
import test from 'ava'
import { holdsMs, listStreams } from '../../../../deploy/operations/streams/sizes.ts'
import { swapStreamSubject } from '../../../../streams/nats/subject.ts'
import { runHere, settingsOf, startCommand } from '../../../support/programs/commands.ts'
import {
  openPipeline,
  type Pipeline,
  STREAM_BYTES,
  until,
} from '../../../support/workers/pipeline.ts'

const BOUND_MS = 60_000
const MIB = 1024 * 1024
const HOUR_MS = 3_600_000
const WEEK_MS = 7 * 24 * HOUR_MS
/** Messages after the large ones: more than a millisecond can store. */
const SMALL = 300

test('hours are the bound by the rate, and at most the age at which a stream drops messages', (t) => {
  const rate = { bytes: 5, maxBytes: 36_000, bytesPerSecond: 10 }
  t.is(holdsMs(rate, undefined), HOUR_MS)
  t.is(holdsMs(rate, WEEK_MS), HOUR_MS)
  t.is(holdsMs({ ...rate, bytesPerSecond: 0.001 }, WEEK_MS), WEEK_MS)
  t.is(holdsMs({ ...rate, bytesPerSecond: null }, WEEK_MS), WEEK_MS)
  t.is(holdsMs({ ...rate, bytesPerSecond: null }, undefined), null)
  t.is(holdsMs({ ...rate, maxBytes: -1 }, undefined), null)
})

const subjectIn = ({ prefix }: Pipeline): string => swapStreamSubject(prefix).replaceAll('*', '0')

async function publish(pipeline: Pipeline, messages: number, bytes: number): Promise<void> {
  const payload = new Uint8Array(bytes)
  for (let message = 0; message < messages; message++) {
    await pipeline.jetStream.publish(subjectIn(pipeline), payload)
  }
}

test('the rate of a young stream is that of its whole time', async (t) => {
  const pipeline = await openPipeline(t)
  const { jetStream, topology } = pipeline
  await publish(pipeline, 20, 10_000)
  const { state } = await jetStream.manager.streams.info(topology.swap.stream)
  const nowMs = Date.parse(state.first_ts) + 100_000
  const [swap, feed] = await listStreams(jetStream, topology, nowMs)
  t.like(swap, { bytes: state.bytes, max_bytes: STREAM_BYTES })
  t.is(swap?.bytes_per_second, Math.round(state.bytes / 100))
  t.is(swap?.holds_ms, Math.round((STREAM_BYTES / state.bytes) * 100_000))
  t.like(feed, { bytes: 0, bytes_per_second: null, holds_ms: WEEK_MS })
})

test('older and larger messages do not count into the rate of the last hour', async (t) => {
  const pipeline = await openPipeline(t)
  const { jetStream, topology } = pipeline
  await publish(pipeline, 200, 50_000)
  const { state: before } = await jetStream.manager.streams.info(topology.swap.stream)
  await publish(pipeline, SMALL, 1_000)
  const { state } = await jetStream.manager.streams.info(topology.swap.stream)
  // An hour that begins after the large messages. A fast machine stores several small ones in its first millisecond.
  const sinceMs = Date.parse(before.last_ts) + 1
  const smallAtMs = await Promise.all(
    Array.from({ length: SMALL }, (_, at) =>
      jetStream.storedAt(topology.swap.stream, before.last_seq + 1 + at),
    ),
  )
  const inHour = smallAtMs.filter((atMs) => atMs !== undefined && atMs > sinceMs).length
  t.true(inHour > 0)
  const [swap] = await listStreams(jetStream, topology, sinceMs + HOUR_MS)
  const expected = ((state.bytes - before.bytes) * inHour) / SMALL / 3_600
  const found = swap?.bytes_per_second ?? 0
  t.true(found > 0.8 * expected && found < 1.2 * expected, `${found} for ${expected}`)
  const [quiet] = await listStreams(jetStream, topology, Date.parse(state.last_ts) + 2 * HOUR_MS)
  t.like(quiet, { bytes_per_second: null, holds_ms: null })
})

for (const part of ['worker', 'api']) {
  test(`${part} applies the sizes of its settings when it starts`, async (t) => {
    const pipeline = await openPipeline(t)
    const { jetStream, topology } = pipeline
    const sizes = { SWAP_BYTES: '72MB', FEED_BYTES: '96MB' }
    const ports = { PORT: '0', GRPC_PORT: '0' }
    const child = startCommand([part], { ...settingsOf(pipeline), ...sizes, ...ports })
    t.teardown(() => child.kill('SIGKILL'))
    await until('both have their sizes', BOUND_MS, async () => {
      const [swap, feed] = await listStreams(jetStream, topology, Date.now())
      return swap?.max_bytes === 72 * MIB && feed?.max_bytes === 96 * MIB
    })
    t.pass()
  })
}

test('status shows bytes, bound, rate and hours of both streams', async (t) => {
  const pipeline = await openPipeline(t)
  await publish(pipeline, 10, 10_000)
  const settings = settingsOf(pipeline)
  const { stdout } = await runHere(['status'], { ...settings, SWAP_BYTES: '128MB' })
  t.regex(stdout, /^stream +bytes +bound +bytes\/s, last hour +holds at this rate$/m)
  t.regex(stdout, /^\S+SWAP +10\d,\d{3} +134,217,728 .+\S$/m)
  t.regex(stdout, /^\S+FEED +0 +67,108,864 +- +168 h 0 min$/m)
  const [swap] = JSON.parse((await runHere(['status', '--json'], settings)).stdout).streams
  t.like(swap, { replicas: 1, max_bytes: 134_217_728 })
})
