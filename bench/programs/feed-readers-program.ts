/**
 * Readers of the feeds as a program of the benchmark: so many WebSockets or calls of SwapStream of all swaps,
 * which count items and parse only the last one; and the delays of active readers while others have stopped.
 */

import { fileURLToPath } from 'node:url'
import type { ServiceDefinition } from '@grpc/grpc-js'
import { credentials, Metadata, makeGenericClientConstructor } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { WebSocket } from 'ws'
import { sharedClockMs } from '../measure/sample.ts'
import { programOptions, sendToStarter, untilStopRequested } from './program.ts'

export type ReadersMessage =
  | { kind: 'joined' }
  /** All readers have had so many swaps. */
  | { kind: 'had'; swaps: number }
  | { kind: 'arrived'; slot: number; atMs: number }
  | { kind: 'stopped' }
export type ReadersRequest = {
  transport: 'websocket' | 'grpc'
  url: string
  key: string
  count: number
  /** Reports when the last swap of each message reached each reader. */
  reportsArrivals?: boolean
}
export type ReadersReport = { expected: number } | { stopped: number }

const { transport, url, key, count, reportsArrivals = false } = programOptions<ReadersRequest>()
let expected = Number.POSITIVE_INFINITY
const had: number[] = Array(count).fill(0)

process.on('message', (report: ReadersReport) => {
  if ('expected' in report) {
    expected = report.expected
    look()
  } else void stop(report.stopped)
})
await Promise.all(had.map((_, index) => (transport === 'grpc' ? call(index) : connect(index))))
sendToStarter<ReadersMessage>({ kind: 'joined' })
await untilStopRequested()
process.exit()

function look(): void {
  if (had.some((swaps) => swaps < expected)) return
  expected = Number.POSITIVE_INFINITY
  sendToStarter<ReadersMessage>({ kind: 'had', swaps: Math.min(...had) })
}

function connect(index: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = subscribed()
    socket.once('error', reject)
    socket.on('message', (bytes: Buffer) => {
      // The number of items is near the beginning of the frame: the text is not read whole.
      const head = bytes.toString('latin1', 0, 100)
      if (head.startsWith('{"type":"subscribed"')) resolve()
      const before = /^\{"type":"data".*?"n":(\d+)/.exec(head)
      if (before === null) return
      had[index] = Number(before[1]) + swapsIn(bytes)
      if (reportsArrivals) reportArrival(bytes)
      if ((had[index] as number) >= expected) look()
    })
  })
}

/** Each swap has one signature. */
function swapsIn(bytes: Buffer): number {
  let found = 0
  for (let at = bytes.indexOf('"signature"'); at >= 0; at = bytes.indexOf('"signature"', at + 11)) {
    found++
  }
  return found
}

function reportArrival(bytes: Buffer): void {
  const text = bytes.toString('latin1')
  const slot = Number(/"slot":(\d+)/.exec(text.slice(text.lastIndexOf('"slot"')))?.[1])
  sendToStarter<ReadersMessage>({ kind: 'arrived', slot, atMs: sharedClockMs() })
}

function subscribed(): WebSocket {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/v1`, {
    perMessageDeflate: false,
    headers: { 'X-API-Key': key },
  })
  socket.once('open', () => {
    socket.send('{"op":"subscribe","sub":"bench","channel":"swaps"}')
  })
  return socket
}

/** More readers, which stop reading as soon as they have subscribed. */
async function stop(more: number): Promise<void> {
  for (let begun = 0; begun < more; begun += 50) {
    const some = Array.from({ length: Math.min(50, more - begun) }, () => {
      const socket = subscribed()
      // The program abandons its sockets at the end, which is no error.
      socket.on('error', () => {})
      return new Promise<void>((resolve) => {
        socket.on('message', (bytes: Buffer) => {
          if (!bytes.toString('latin1', 0, 30).includes('"subscribed"')) return
          socket.pause()
          resolve()
        })
      })
    })
    await Promise.all(some)
  }
  sendToStarter<ReadersMessage>({ kind: 'stopped' })
}

function call(index: number): Promise<void> {
  const proto = fileURLToPath(new URL('../../proto', import.meta.url))
  const definitions = loadSync('swaptide/v1/swap_stream.proto', { includeDirs: [proto] })
  const definition = definitions['swaptide.v1.SwapStream'] as ServiceDefinition
  const Client = makeGenericClientConstructor(definition, 'SwapStream')
  // A separate connection each, as with WebSockets.
  const client = new Client(url, credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
  })
  const metadata = new Metadata()
  metadata.set('x-api-key', key)
  return new Promise((resolve, reject) => {
    const stream = (client as unknown as Streaming).Subscribe({ maxBatch: 0 }, metadata)
    stream.on('error', reject)
    stream.on('data', (answer) => {
      if (answer.subscribed !== null && answer.subscribed !== undefined) resolve()
      had[index] = (had[index] as number) + (answer.swaps?.swaps.length ?? 0)
      if ((had[index] as number) >= expected) look()
    })
  })
}

type Answer = { subscribed?: object | null; swaps?: { swaps: unknown[] } | null }
type Streaming = {
  Subscribe(
    request: object,
    metadata: Metadata,
  ): { on(name: 'data', listener: (answer: Answer) => void): void } & {
    on(name: 'error', listener: (error: Error) => void): void
  }
}
