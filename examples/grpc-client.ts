/**
 * A client of the gRPC SwapStream that loses no swap: it resumes from its newest cursor whenever the call ends, for any
 * reason, and prints each swap once, a line of JSON each, int64 as text.
 *
 *   npx node examples/grpc-client.ts 127.0.0.1:50051 KEY '{"venues":["venue_1"]}' [CURSOR]
 *
 * Its last line on standard error when it ends is the cursor to start it with again.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  type Client,
  type ClientReadableStream,
  credentials,
  loadPackageDefinition,
  Metadata,
  type StatusObject,
  status,
} from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'

type Answer = { cursor: string; swaps?: { n: string; swaps: object[] } }
type SwapStream = Client &
  Record<'Subscribe', (request: object, metadata: Metadata) => ClientReadableStream<Answer>>
type Constructor = new (target: string, by: typeof INSECURE) => SwapStream
type Message = { type: { field: { name: string }[] } }
type Methods = { Subscribe: { requestSerialize: (request: object) => Buffer } }

const USAGE = 'usage: grpc-client.ts HOST:PORT KEY [FILTER [CURSOR]], FILTER as JSON'
const RETRY_MS_MAX = 5_000
/** A heartbeat comes every 15 s: after three of those in silence the connection is dead. */
const SILENCE_MS_MAX = 45_000
/** A retry would fail again: the request is invalid, the key is not accepted, the cursor has expired. */
const FINAL = new Set([
  status.UNAUTHENTICATED,
  status.PERMISSION_DENIED,
  status.INVALID_ARGUMENT,
  status.OUT_OF_RANGE,
])
const INSECURE = credentials.createInsecure()

const [target = '', key = '', filterText = '{}', given] = process.argv.slice(2)
const filter = readFilter(filterText)
if (target === '' || key === '' || filter === undefined) {
  process.stderr.write(`${USAGE}\n`)
  process.exit(1)
}
const ended = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ended.abort())
let cursor = given
// Each write reports its errors to its callback.
process.stdout.on('error', () => {})

const definition = loadSync('swaptide/v1/swap_stream.proto', {
  includeDirs: [fileURLToPath(new URL('../proto', import.meta.url))],
  keepCase: true,
  longs: String,
  defaults: true,
})
const { swaptide } = loadPackageDefinition(definition) as unknown as {
  swaptide: { v1: { SwapStream: Constructor } }
}
const nonsense = errorOf(filter)
if (nonsense !== undefined) {
  process.stderr.write(`${nonsense}\n`)
  process.exit(1)
}
const client = new swaptide.v1.SwapStream(target, INSECURE)
const metadata = new Metadata()
metadata.set('x-api-key', key)

/** undefined: it is no JSON object. The server validates its values. */
function readFilter(text: string): object | undefined {
  try {
    const read = JSON.parse(text) as unknown
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? read : undefined
  } catch {
    return undefined
  }
}

/** The reason why the filter cannot be sent: a name that the proto lacks would be dropped silently. */
function errorOf(filter: object): string | undefined {
  const { type } = definition['swaptide.v1.SwapFilter'] as unknown as Message
  const { Subscribe } = definition['swaptide.v1.SwapStream'] as unknown as Methods
  const names = type.field.map(({ name }) => name)
  const unknown = Object.keys(filter).find((name) => !names.includes(name))
  if (unknown !== undefined) return `filter "${unknown}": use some of ${names.join(' ')}`
  try {
    Subscribe.requestSerialize({ filter })
    return undefined
  } catch (error) {
    return `filter: ${(error as Error).message}`
  }
}

/** Ends the client when printing fails, with the previous cursor; a reader that closed its pipe is no failure. */
function print(swaps: readonly object[]): void {
  const before = cursor
  const lines = swaps.map((swap) => `${JSON.stringify(swap)}\n`).join('')
  process.stdout.write(lines, (error?: NodeJS.ErrnoException | null) => {
    if (!error || ended.signal.aborted) return
    cursor = before
    if (error.code !== 'EPIPE') {
      process.stderr.write(`failed to print swaps: ${error.message}\n`)
      process.exitCode = 1
    }
    ended.abort()
  })
}

/** One call, until it ends. */
function subscribeOnce(onAnswer: () => void): Promise<StatusObject> {
  return new Promise((resolve) => {
    const from = cursor === undefined ? {} : { cursor }
    const call = client.Subscribe({ filter, ...from }, metadata)
    const cancel = (): void => call.cancel()
    ended.signal.addEventListener('abort', cancel)
    let silence = setTimeout(cancel, SILENCE_MS_MAX)
    let next = 0
    call.on('data', (answer: Answer) => {
      clearTimeout(silence)
      silence = setTimeout(cancel, SILENCE_MS_MAX)
      const { n, swaps } = answer.swaps ?? { n: String(next), swaps: [] }
      // The rule that shows a gap: an answer begins where the one before ended.
      if (Number(n) !== next) {
        cancel()
        return
      }
      next += swaps.length
      if (swaps.length > 0) print(swaps)
      cursor = answer.cursor
      onAnswer()
    })
    // The status reports it, too.
    call.on('error', () => {})
    call.once('status', (last) => {
      clearTimeout(silence)
      ended.signal.removeEventListener('abort', cancel)
      resolve(last)
    })
  })
}

let waitMs = 100
while (!ended.signal.aborted) {
  const last = await subscribeOnce(() => {
    waitMs = 100
  })
  if (ended.signal.aborted) break
  process.stderr.write(`${status[last.code]}: ${last.details}\n`)
  if (FINAL.has(last.code)) {
    process.exitCode = 1
    break
  }
  await pause(waitMs, undefined, { signal: ended.signal }).catch(() => {})
  waitMs = Math.min(RETRY_MS_MAX, waitMs * 2)
}
client.close()
process.stderr.write(`${cursor ?? ''}\n`)
