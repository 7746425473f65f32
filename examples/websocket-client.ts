/**
 * A client of the WebSocket feed that loses no event: it resumes from its newest cursor whenever the connection ends,
 * for any reason, and prints each event once, a line of JSON each.
 *
 *   npx node examples/websocket-client.ts ws://127.0.0.1:8080/ws/v1 KEY '{"venues":["venue_1"]}' [CURSOR]
 *
 * Its last line on standard error when it ends is the cursor to start it with again. It exits with 1 after a refusal
 * that no later attempt would avoid.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'

type Frame = { type: string } & Record<string, unknown>
/** `waitMs`: the least delay before a reconnect, if the server named one. */
type Ending = { isFinal: boolean; waitMs: number; text: string }

const SUB = 'example'
const USAGE =
  'usage: websocket-client.ts ws://HOST:PORT/ws/v1 KEY [FILTER [CURSOR]], FILTER as JSON'
/** A wait is double the one before, up to this, until a connection brings something. */
const RETRY_MS = { first: 100, max: 10_000 }
/** A wait that the server requests is capped at this. */
const REQUESTED_MS_MAX = 300_000
/** The server sends a frame every 15 s at least: after three of those in silence the connection is dead. */
const SILENCE_MS_MAX = 45_000
/** Closes after which the same would come again: nonsense, a revoked key, abuse. */
const FINAL_CLOSES = new Set([4400, 4401, 4429])
const FINAL_STATUSES = new Set([400, 401, 403, 404])
/** Refusals that pass. All others would come again: of the filter, the cursor, the tier. */
const PASSING_CODES = new Set(['RATE_LIMITED', 'REPLAY_BUSY', 'UNAVAILABLE', 'INTERNAL'])

const [url = '', key = '', filterText = '{}', given] = process.argv.slice(2)
const filter = readFilter(filterText)
if (!/^wss?:/.test(url) || !URL.canParse(url) || key === '' || filter === undefined) {
  process.stderr.write(`${USAGE}\n`)
  process.exit(1)
}
const ended = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ended.abort())
let cursor = given
// Each write reports its errors to its callback.
process.stdout.on('error', () => {})

/** undefined: it is no JSON. The server validates it. */
function readFilter(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Ends the client when printing fails, with the previous cursor; a reader that closed its pipe is no failure. */
function print(events: readonly object[]): void {
  const before = cursor
  const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('')
  process.stdout.write(lines, (error?: NodeJS.ErrnoException | null) => {
    if (!error || ended.signal.aborted) return
    cursor = before
    if (error.code !== 'EPIPE') {
      process.stderr.write(`failed to print events: ${error.message}\n`)
      process.exitCode = 1
    }
    ended.abort()
  })
}

/** One connection, until it ends; `onProgress`: it received a frame of a subscription. */
function connectOnce(onProgress: () => void): Promise<Ending> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, { headers: { 'X-API-Key': key } })
    let next = 0
    let ending: Ending = { isFinal: false, waitMs: 0, text: 'the connection was lost' }
    const end = (last: Partial<Ending>): void => {
      ending = { ...ending, ...last }
      socket.terminate()
    }
    const stop = (): void => end({ text: 'stopped by a signal' })
    let silence = setTimeout(() => end({ text: 'no frame arrived' }), SILENCE_MS_MAX)
    ended.signal.addEventListener('abort', stop)

    const take = (frame: Frame): void => {
      if (frame.type === 'welcome') {
        const from = cursor === undefined ? 'live' : { cursor }
        const what = { sub: SUB, channel: 'swaps', filter }
        socket.send(JSON.stringify({ op: 'subscribe', ...what, from, int64: 'string' }))
      } else if (frame.type === 'subscribed') cursor = frame.cursor as string
      else if (frame.type === 'data') {
        // The rule that shows a gap: a frame begins where the one before ended.
        if (frame.n !== next) {
          end({ text: `a gap: frame ${frame.n}, expected ${next}` })
          return
        }
        const events = frame.data as object[]
        next += events.length
        print(events)
        cursor = frame.cursor as string
        onProgress()
      } else if (frame.type === 'heartbeat') {
        const subs = frame.subs as Record<string, { cursor: string }>
        cursor = subs[SUB]?.cursor ?? cursor
        onProgress()
      } else if (frame.type === 'goodbye') {
        const { reconnect_after_ms: waitMs, reason } = frame
        ending = { isFinal: waitMs === null, waitMs: Number(waitMs), text: String(reason) }
      } else if (frame.type === 'error') {
        const { code, message, retry_after_ms: waitMs = 0 } = frame
        const isFinal = !PASSING_CODES.has(String(code))
        end({ isFinal, waitMs: Number(waitMs), text: `${code}: ${message}` })
      }
    }
    socket.on('message', (bytes) => {
      clearTimeout(silence)
      silence = setTimeout(() => end({ text: 'no frame arrived' }), SILENCE_MS_MAX)
      if (socket.readyState === WebSocket.OPEN) take(JSON.parse(String(bytes)) as Frame)
    })
    socket.on('unexpected-response', (_, { statusCode = 0, headers }) => {
      const waitMs = 1_000 * Number(headers['retry-after'] ?? 0)
      const isFinal = FINAL_STATUSES.has(statusCode)
      end({ isFinal, waitMs, text: `refused with HTTP ${statusCode}` })
    })
    // The close follows, with the reason.
    socket.on('error', () => {})
    socket.once('close', (code) => {
      clearTimeout(silence)
      ended.signal.removeEventListener('abort', stop)
      resolve({ ...ending, isFinal: ending.isFinal || FINAL_CLOSES.has(code) })
    })
  })
}

let failures = 0
while (!ended.signal.aborted) {
  const { isFinal, waitMs, text } = await connectOnce(() => {
    failures = 0
  })
  if (ended.signal.aborted) break
  if (isFinal) {
    process.stderr.write(`${text}\n`)
    process.exitCode = 1
    break
  }
  process.stderr.write(`${text}: again from ${cursor ?? 'live'}\n`)
  const grown = Math.min(RETRY_MS.max, RETRY_MS.first * 2 ** failures++)
  // Clients that lost one server must not all reconnect in one moment.
  const backoffMs = grown * (0.5 + Math.random() / 2)
  // Not a number where a proxy sends a date; a too large one would overflow a timer.
  const requestedMs = Math.min(REQUESTED_MS_MAX, waitMs || 0)
  await pause(Math.max(requestedMs, backoffMs), undefined, { signal: ended.signal }).catch(() => {})
}
process.stderr.write(`${cursor ?? ''}\n`)
