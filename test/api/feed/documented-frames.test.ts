/**
 * The exchanges of docs/feeds.md, played against a real server: each block of frames in the document is what passed here,
 * with the names and placeholders that the document states.
 */

import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import { WebSocket } from 'ws'
import { FEED_CODES } from '../../../api/feed/feed-error.ts'
import { CLOSES } from '../../../api/feed/websocket/protocol/close.ts'
import { CHANNELS, FRAMES, REQUESTS } from '../../../api/feed/websocket/protocol/schema.ts'
import type { Event } from '../../../domain/events/event.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import { renewEpoch, trimStream } from '../../../streams/nats/topology.ts'
import { MINT, POOL, SWAP } from '../../support/events/sample-event.ts'
import { feedApi } from '../../support/feed/feed-api.ts'
import {
  block,
  DOCUMENT,
  DOCUMENTED,
  EXCHANGES,
  Story,
  signature,
} from '../../support/feed/feed-story.ts'
import { RecordedCall, type RecordedSocket } from '../../support/feed/transcript.ts'
import { writeFeed } from '../../support/feed/written-feed.ts'
import { readText } from '../../support/sources.ts'
import { feedEnd, openPipeline, until } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'

const FIRST_SLOT = 398_202_820
const GRPC = { grpc: { host: '127.0.0.1', port: 0 } }

/** Swap number `n`, the only one of its block. */
function swap(n: number, changes: Partial<Swap> = {}): Event {
  const own = {
    ...SWAP,
    signature: signature(n),
    slot: FIRST_SLOT + n,
    timestamp: SWAP.timestamp + 400 * n,
    dex: 3 as const,
    blockhash: block(n),
    solAmount: 1_500_000_000 + n,
    tokenAmount: 42_000_000,
    fee: 3_750_000,
    feeBps: 25,
    realSolReserves: 900_000_000_000,
    realTokenReserves: 25_200_000_000,
  }
  return { kind: 'swap', swap: { ...own, ...changes } }
}

async function openStory(t: ExecutionContext): Promise<Story> {
  const pipeline = await openPipeline(t, { laneCount: 1 })
  await runWorker(t, pipeline)
  return new Story(t, await feedApi(t, { pipeline, feed: GRPC }))
}

const countOf = (socket: RecordedSocket, type: string): number => socket.client.of(type).length
const untilAnswers = (call: RecordedCall, count: number): Promise<void> =>
  until(`${count} answers`, 60_000, () => {
    return call.subscribed.answers.filter(({ event }) => event !== 'heartbeat').length >= count
  })
const untilFrames = (socket: RecordedSocket, type: string, count: number): Promise<void> =>
  until(`${count} frames "${type}"`, 60_000, () => countOf(socket, type) >= count)

async function firstSubscription(story: Story): Promise<void> {
  const { url, key } = await story.key('free')
  const socket = await story.socket(url)
  socket.send({ op: 'subscribe', id: 1, sub: 'mine', channel: 'swaps' })
  await untilFrames(socket, 'subscribed', 1)
  const call = new RecordedCall(story.stream(), key, {})
  await untilAnswers(call, 1)
  await story.publish(swap(1))
  await socket.client.untilEvents('mine', 1)
  await untilAnswers(call, 2)
  story.socketPassed('first', socket, { hasWelcome: true })
  story.callPassed('first-grpc', call)
  await refusedHandshakes(story, url)
  await refusedCalls(story, key)
  socket.client.socket.terminate()
  call.subscribed.call.cancel()
}

/** Handshakes without a key, and beyond the connections of the tier. */
async function refusedHandshakes(story: Story, url: string): Promise<void> {
  const lines: string[] = []
  for (const target of [url.split('?')[0] ?? '', url]) {
    const socket = new WebSocket(target)
    socket.on('error', () => {})
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
    lines.push(`< HTTP ${response.statusCode} ${(await response.toArray()).join('')}`)
  }
  story.compare('refused', lines.join('\n'))
}

/** Calls without a key, beyond the streams of the tier, and with an invalid filter. */
async function refusedCalls(story: Story, key: string): Promise<void> {
  const texts: string[] = []
  const other = (await story.key()).key
  for (const [each, request] of [
    ['no-key', {}],
    [key, {}],
    [other, { filter: { swap_type: 'long' } }],
  ] as const) {
    const call = new RecordedCall(story.stream(), each, request)
    await call.subscribed.ended
    texts.push(call.take(story.names))
  }
  story.compare('refused-grpc', texts.join('\n'))
}

async function filters(story: Story): Promise<void> {
  const { url, key } = await story.key('free')
  const filter = { venues: ['venue_3', 'venue_4'], min_sol: 10, wallet_tags: ['whale'] }
  const socket = await story.socket(url)
  socket.send({ op: 'subscribe', sub: 'large', channel: 'swaps', filter })
  await untilFrames(socket, 'subscribed', 1)
  const call = new RecordedCall(story.stream(), key, { filter })
  await untilAnswers(call, 1)
  await story.publish(swap(2), swap(3, { solAmount: 25_000_000_000, tokenAmount: 700_000_000 }))
  await socket.client.untilEvents('large', 1)
  await untilAnswers(call, 2)
  story.socketPassed('filter', socket, { isBrief: true })
  story.callPassed('filter-grpc', call, { isBrief: true })
  socket.send({ op: 'update', id: 2, sub: 'large', filter: { swap_type: 'sell' } })
  await untilFrames(socket, 'updated', 1)
  await story.publish(swap(4, { isBuy: false }))
  await socket.client.untilEvents('large', 2)
  socket.send({ op: 'unsubscribe', id: 3, sub: 'large' })
  await untilFrames(socket, 'unsubscribed', 1)
  story.socketPassed('update', socket, { isBrief: true })
  socket.client.socket.terminate()
  call.subscribed.call.cancel()
}

async function errors(story: Story): Promise<void> {
  const { url } = await story.key()
  const socket = await story.socket(url)
  socket.sendText('{"op":"subscribe"')
  await untilFrames(socket, 'error', 1)
  const subscription = { op: 'subscribe', id: 7, sub: 'mine', channel: 'swaps' }
  for (const request of [
    { ...subscription, channel: 'trades' },
    { ...subscription, filter: { mints: [MINT] } },
    { ...subscription, filter: { min_sol: -1 } },
    { op: 'unsubscribe', id: 8, sub: 'mine' },
    { ...subscription, id: 9, from: { cursor: '12' } },
  ]) {
    const had = countOf(socket, 'error')
    socket.send(request)
    await untilFrames(socket, 'error', had + 1)
  }
  story.socketPassed('errors', socket)
  socket.client.socket.terminate()
}

async function resume(story: Story): Promise<void> {
  await story.publish(swap(5))
  await story.feed.untilRead()
  const { url, key } = await story.key()
  const cursor = `${story.feed.pipeline.topology.feed.epoch}-3`
  const socket = await story.socket(url)
  const from = { cursor }
  socket.send({ op: 'subscribe', sub: 'mine', channel: 'swaps', from, int64: 'string' })
  await untilFrames(socket, 'caught_up', 1)
  const call = new RecordedCall(story.stream(), key, { cursor })
  await untilAnswers(call, 3)
  await story.publish(swap(6))
  await socket.client.untilEvents('mine', 3)
  await untilAnswers(call, 4)
  story.socketPassed('resume', socket, { isBrief: true })
  story.callPassed('resume-grpc', call, { isBrief: true })
}

async function fromSlot(story: Story): Promise<void> {
  await story.feed.untilRead()
  const { url, key } = await story.key()
  const slot = FIRST_SLOT + 5
  const socket = await story.socket(url)
  socket.send({ op: 'subscribe', sub: 'mine', channel: 'swaps', from: { slot } })
  await untilFrames(socket, 'caught_up', 1)
  const call = new RecordedCall(story.stream(), key, { slot, heartbeat_seconds: 1 })
  await until('both cursors', 60_000, async () => {
    return (await socket.cursorOf('mine')) !== null && Boolean(call.subscribed.cursor())
  })
  await story.publish(swap(7))
  await socket.client.untilEvents('mine', 3)
  await until('the swap', 60_000, () => call.subscribed.swaps.length === 3)
  story.socketPassed('slot', socket, { isBrief: true })
  story.callPassed('slot-grpc', call, { isBrief: true })
}

async function fork(story: Story): Promise<void> {
  const { url, key } = await story.key()
  const socket = await story.socket(url)
  socket.send({ op: 'subscribe', sub: 'mine', channel: 'swaps' })
  await untilFrames(socket, 'subscribed', 1)
  const call = new RecordedCall(story.stream(), key, {})
  await untilAnswers(call, 1)
  const slot = FIRST_SLOT + 8
  await story.publish(swap(8), { kind: 'retract', retraction: { slot, blockhash: block(8) } })
  await story.publish(swap(8, { slot: slot + 1, blockhash: block(9) }))
  await socket.client.untilEvents('mine', 3)
  await untilAnswers(call, 4)
  story.socketPassed('fork', socket, { isBrief: true })
  story.callPassed('fork-grpc', call, { isBrief: true })
}

async function candles(story: Story): Promise<void> {
  await story.feed.untilRead()
  const { url } = await story.key()
  const socket = await story.socket(url)
  socket.send({ op: 'subscribe', sub: 'chart', channel: 'candles', filter: { pools: [POOL] } })
  await untilFrames(socket, 'snapshot', 1)
  await story.publish(swap(10, { solAmount: 3_000_000_000, tokenAmount: 84_000_000 }))
  await untilFrames(socket, 'data', 1)
  story.socketPassed('candles', socket)
  socket.client.socket.terminate()
}

/** A message of FEED is lost, and a process that did not read it before reports and fills the gap. */
async function gap(story: Story): Promise<void> {
  const { jetStream, topology } = story.feed.pipeline
  const before = await feedEnd(story.feed.pipeline)
  await story.publish(swap(11), swap(12), swap(13))
  await jetStream.manager.streams.deleteMessage(topology.feed.stream, before + 2)
  const api = await story.feed.another()
  const { key } = await story.key()
  const cursor = `${topology.feed.epoch}-${before}`
  const socket = await story.socket(`${api.url.replace('http', 'ws')}/ws/v1?api_key=${key}`)
  socket.send({ op: 'subscribe', sub: 'mine', channel: 'swaps', from: { cursor } })
  await untilFrames(socket, 'caught_up', 2)
  const call = new RecordedCall(story.stream(api.grpcPort), key, { cursor })
  await until('the call has caught up', 60_000, () => {
    return call.subscribed.answers.filter(({ event }) => event === 'notice').length === 2
  })
  story.socketPassed('gap', socket, { isBrief: true })
  story.callPassed('gap-grpc', call, { isBrief: true })
}

async function expired(story: Story): Promise<void> {
  const { jetStream, topology } = story.feed.pipeline
  await trimStream(jetStream, topology.feed.stream, 8)
  // A process that had read the messages before would serve them from its memory.
  const api = await story.feed.another()
  const { key } = await story.key()
  const cursor = `${topology.feed.epoch}-3`
  const socket = await story.socket(`${api.url.replace('http', 'ws')}/ws/v1?api_key=${key}`)
  const subscription = { op: 'subscribe', sub: 'mine', channel: 'swaps' }
  socket.send({ ...subscription, from: { cursor } })
  await untilFrames(socket, 'error', 1)
  const slot = FIRST_SLOT + 12
  socket.send({ ...subscription, from: { cursor, slot } })
  await untilFrames(socket, 'caught_up', 1)
  story.socketPassed('expired', socket, { isBrief: true })
  const call = new RecordedCall(story.stream(api.grpcPort), key, { cursor })
  await call.subscribed.ended
  story.callPassed('expired-grpc', call)
}

async function newEpoch(story: Story): Promise<void> {
  const { pipeline } = story.feed
  const { stream, epoch } = pipeline.topology.feed
  await story.feed.untilRead()
  const { url, key } = await story.key()
  const socket = await story.socket(url)
  const subscription = { op: 'subscribe', sub: 'mine', channel: 'swaps' }
  socket.send(subscription)
  await untilFrames(socket, 'subscribed', 1)
  const call = new RecordedCall(story.stream(), key, {})
  await untilAnswers(call, 1)
  const end = await feedEnd(pipeline)
  await renewEpoch(pipeline.jetStream, stream, epoch, end)
  await untilFrames(socket, 'error', 1)
  await call.subscribed.ended
  const { details } = socket.client.of('error')[0] as { details?: { epoch: string } }
  story.names.set(String(details?.epoch), 'NEXT')
  socket.send({ ...subscription, from: { cursor: `${epoch}-${end}` } })
  await untilFrames(socket, 'error', 2)
  socket.send({ ...subscription, from: { slot: FIRST_SLOT + 13 } })
  await untilFrames(socket, 'caught_up', 1)
  story.socketPassed('epoch', socket, { isBrief: true })
  story.callPassed('epoch-grpc', call)
}

const STORY = [
  firstSubscription,
  filters,
  errors,
  resume,
  fromSlot,
  fork,
  candles,
  gap,
  expired,
  newEpoch,
]

test.serial('the exchanges of the document pass as it has them', async (t) => {
  const story = await openStory(t)
  for (const part of STORY) await part(story)
})

const PARTS = 24
const EVENTS = PARTS * 720

test.serial('slow clients are paused, warned or closed as the document has it', async (t) => {
  const pipeline = await openPipeline(t)
  const patient = new Story(t, await feedApi(t, { pipeline, timing: { stallMs: 150_000 } }))
  // The idle connection below ends after those that stall, by the same clock.
  const timing = { stallMs: 1_500, subscribeMs: 4_000, cutMs: 60_000 }
  const grpc = { ...GRPC.grpc, times: { slowMs: 2_000, endMs: 60_000 } }
  const strict = new Story(t, await feedApi(t, { pipeline, timing, feed: { grpc } }))
  const { url, key } = await strict.key()
  const [quick, slow, stalled] = [
    await patient.socket((await patient.key()).url),
    await patient.socket((await patient.key()).url),
    await strict.socket(url),
  ]
  for (const socket of [quick, slow, stalled]) {
    socket.send({ op: 'subscribe', sub: 'mine', channel: 'swaps' })
    await untilFrames(socket, 'subscribed', 1)
  }
  const call = new RecordedCall(strict.stream(), key, {})
  await untilAnswers(call, 1)
  for (const { client } of [slow, stalled]) client.socket.pause()
  call.subscribed.call.pause()
  for (let part = 0; part < PARTS; part++) await writeFeed(pipeline, 800 * part, 4, 200)
  await quick.client.untilEvents('mine', EVENTS, 90_000)
  const idle = await strict.socket((await strict.key()).url)
  await idle.client.untilClosed()
  strict.socketPassed('idle', idle)
  await until('the call is ended', 60_000, () => {
    return pipeline.recording.lines.some((line) => line.includes('"ABORTED"'))
  })
  for (const { client } of [slow, stalled]) client.socket.resume()
  call.subscribed.call.resume()
  await slow.client.untilEvents('mine', EVENTS, 90_000)
  await stalled.client.untilClosed()
  await call.subscribed.ended
  t.deepEqual(slow.client.events('mine'), quick.client.events('mine'))
  strict.socketPassed('stalled', stalled, { isVolatile: true })
  strict.callPassed('stalled-grpc', call, { isVolatile: true })
  patient.socketPassed('slow', slow, { isVolatile: true })
})

test('the document names every operation, frame, channel, code and close', (t) => {
  t.deepEqual([...DOCUMENTED.keys()], [...EXCHANGES])
  const text = readText(DOCUMENT)
  const names = [
    ...Object.keys(REQUESTS),
    ...Object.keys(FRAMES),
    ...CHANNELS,
    ...FEED_CODES,
    ...Object.values(CLOSES).map(({ code }) => String(code)),
  ]
  t.deepEqual(
    names.filter((name) => !text.includes(`\`${name}\``)),
    [],
  )
})
