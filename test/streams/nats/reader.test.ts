/** Reading a stream: which messages form a batch. Against the real server. */
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { openReader } from '../../../streams/nats/jetstream.ts'
import { BLOCK_HEADER, type PendingBatch } from '../../../streams/nats/micro-batch.ts'
import { swapStreamSubject, swapSubject } from '../../../streams/nats/subject.ts'
import { SWAP } from '../../support/events/sample-event.ts'
import { openPipeline, until } from '../../support/workers/pipeline.ts'

const BYTES = 1_000
const FIRST_WAIT_MS = 60_000

async function openStream(t: ExecutionContext) {
  const { jetStream, topology, prefix, laneCount } = await openPipeline(t)
  const subject = swapSubject(prefix, { kind: 'swap', swap: SWAP }, laneCount)
  const reader = await openReader(jetStream, topology.swap.stream, swapStreamSubject(prefix), 1)
  t.teardown(() => reader.close())
  const publish = (bytes = BYTES, headers: Record<string, string> = {}) =>
    jetStream.publish(subject, new Uint8Array(bytes), { headers })
  return { reader, publish }
}

test('returns messages that arrive before the given moment together, and at once when full', async (t) => {
  const { reader, publish } = await openStream(t)
  const anHourOn = performance.now() + 3_600_000
  const taking = reader.take(2 * BYTES, FIRST_WAIT_MS, () => anHourOn)
  await publish()
  await publish()
  const taken = await taking
  t.deepEqual(
    taken.map(({ sequence }) => sequence),
    [1, 2],
  )
})

test('returns the buffered messages when the reader closes, and rejects from then on', async (t) => {
  const { reader, publish } = await openStream(t)
  await publish()
  await until('the message is at hand', FIRST_WAIT_MS, () => reader.hasMessages())
  const taking = reader.take(2 * BYTES, FIRST_WAIT_MS, () => performance.now() + 3_600_000)
  await reader.close()
  t.is((await taking).length, 1)
  await t.throwsAsync(reader.take(BYTES, FIRST_WAIT_MS))
})

test('delivers an empty message like any other', async (t) => {
  const { reader, publish } = await openStream(t)
  const taking = reader.take(BYTES, FIRST_WAIT_MS)
  await publish(0)
  t.is((await taking).length, 1)
})

test('returns the buffered messages at the deadline, however few', async (t) => {
  const { reader, publish } = await openStream(t)
  await publish()
  const taken = await reader.take(2 * BYTES, FIRST_WAIT_MS, () => performance.now() + 100)
  t.is(taken.length, 1)
})

test('reports whether the messages of a block are complete, and computes the moment again as they become so', async (t) => {
  const { reader, publish } = await openStream(t)
  const marked = { [BLOCK_HEADER]: '7 3' }
  const reported: PendingBatch['block'][] = []
  const taking = reader.take(10 * BYTES, FIRST_WAIT_MS, ({ block }) => {
    reported.push(block)
    const isOpen = block !== 'complete' && block !== undefined
    return performance.now() + (isOpen ? 3_600_000 : 0)
  })
  for (let count = 0; count < 3; count++) await publish(BYTES, marked)
  t.is((await taking).length, 3)
  t.is(reported.at(-1), 'complete')
  await publish()
  const plain = await reader.take(10 * BYTES, FIRST_WAIT_MS, ({ block }) => {
    reported.push(block)
    return 0
  })
  t.is(plain.length, 1)
  t.is(reported.at(-1), undefined)
})

test('without a moment the first message waits for no other', async (t) => {
  const { reader, publish } = await openStream(t)
  const taking = reader.take(2 * BYTES, FIRST_WAIT_MS)
  await publish()
  t.is((await taking).length, 1)
})

test('stops buffering for a consumer that does not read, and loses no message', async (t) => {
  const { jetStream, topology, prefix, laneCount } = await openPipeline(t)
  const { stream } = topology.swap
  const subject = swapSubject(prefix, { kind: 'swap', swap: SWAP }, laneCount)
  const messages = 2_000
  for (let at = 0; at < messages; at += 100) {
    await Promise.all(
      Array.from({ length: 100 }, () => jetStream.publish(subject, new Uint8Array(BYTES))),
    )
  }
  const prefetch = { bytes: 10 * BYTES, messages: 64 }
  const reader = await openReader(jetStream, stream, swapStreamSubject(prefix), 1, prefetch)
  t.teardown(() => reader.close())
  // By then the client would have requested messages four times, and would request all of them with the next read.
  await pause(14_000)
  let sequence = 0
  const take = async () => {
    for (const message of await reader.take(7 * BYTES, FIRST_WAIT_MS)) {
      t.is(message.sequence, ++sequence)
    }
  }
  while (sequence < 2 * prefetch.messages) await take()
  await pause(1_000)
  for await (const { delivered } of jetStream.manager.consumers.list(stream)) {
    t.true(delivered.stream_seq <= 4 * prefetch.messages, `${delivered.stream_seq} were sent`)
  }
  while (sequence < messages) await take()
})
