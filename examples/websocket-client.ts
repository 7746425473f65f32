/**
 * A client of the WebSocket feed that loses nothing: it goes on from its newest cursor whenever the
 * connection ends, whatever ended it, and prints each event once, a line of JSON each.
 *
 *   node examples/websocket-client.ts ws://127.0.0.1:8080/ws/v1 KEY '{"venues":["venue_1"]}' [CURSOR]
 *
 * Its last line on standard error when it ends is the cursor to start it with again.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'

type Frame = { type: string } & Record<string, unknown>
type Ending = { isFinal: boolean; waitMs: number | undefined; text: string }

const SUB = 'example'
const RETRY_MS_MAX = 5_000
/** The server says something every 15 s: after three of those in silence the connection is dead. */
const SILENCE_MS_MAX = 45_000
/** Closes after which the same would come again: nonsense, a revoked key, abuse. */
const FINAL_CLOSES = new Set([4400, 4401, 4429])
const FINAL_STATUSES = new Set([400, 401, 403, 404])
/** Refusals of a cursor that is too old, or of another stream: a person has to decide. */
const FINAL_CODES = new Set(['CURSOR_EXPIRED', 'CURSOR_EPOCH_CHANGED', 'CURSOR_AHEAD'])

const [url = '', key = '', filter = '{}', given] = process.argv.slice(2)
const ended = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ended.abort())
let cursor = given

/** One connection, until it ends. */
function connectOnce(): Promise<Ending> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, { headers: { 'X-API-Key': key } })
    let next = 0
    let ending: Ending = { isFinal: false, waitMs: undefined, text: 'the connection was lost' }
    const end = (last: Partial<Ending>): void => {
      ending = { ...ending, ...last }
      socket.terminate()
    }
    const stop = (): void => end({ isFinal: true, text: 'asked to end' })
    let silence = setTimeout(() => end({ text: 'nothing was heard' }), SILENCE_MS_MAX)
    ended.signal.addEventListener('abort', stop)

    const take = (frame: Frame): void => {
      if (frame.type === 'welcome') {
        const from = cursor === undefined ? 'live' : { cursor }
        const what = { sub: SUB, channel: 'swaps', filter: JSON.parse(filter) as unknown }
        socket.send(JSON.stringify({ op: 'subscribe', ...what, from, int64: 'string' }))
      } else if (frame.type === 'subscribed') cursor = frame.cursor as string
      else if (frame.type === 'data') {
        // The rule that shows a gap: a frame begins where the one before ended.
        if (frame.n !== next) {
          end({ text: `a gap: ${frame.n} behind ${next}` })
          return
        }
        const events = frame.data as object[]
        next += events.length
        process.stdout.write(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
        cursor = frame.cursor as string
      } else if (frame.type === 'heartbeat') {
        const subs = frame.subs as Record<string, { cursor: string }>
        cursor = subs[SUB]?.cursor ?? cursor
      } else if (frame.type === 'goodbye') {
        const { reconnect_after_ms: waitMs, reason } = frame
        ending = { isFinal: waitMs === null, waitMs: Number(waitMs), text: String(reason) }
      } else if (frame.type === 'error') {
        end({ isFinal: FINAL_CODES.has(String(frame.code)), text: String(frame.message) })
      }
    }
    socket.on('message', (bytes) => {
      clearTimeout(silence)
      silence = setTimeout(() => end({ text: 'nothing was heard' }), SILENCE_MS_MAX)
      if (socket.readyState === WebSocket.OPEN) take(JSON.parse(String(bytes)) as Frame)
    })
    socket.on('unexpected-response', (_, { statusCode = 0 }) =>
      end({ isFinal: FINAL_STATUSES.has(statusCode), text: `refused with HTTP ${statusCode}` }),
    )
    // The close follows, and says it all.
    socket.on('error', () => {})
    socket.once('close', (code) => {
      clearTimeout(silence)
      ended.signal.removeEventListener('abort', stop)
      resolve({ ...ending, isFinal: ending.isFinal || FINAL_CLOSES.has(code) })
    })
  })
}

for (let attempt = 0; ; attempt++) {
  const before = cursor
  const { isFinal, waitMs, text } = await connectOnce()
  if (isFinal) {
    process.stderr.write(`${text}\n`)
    break
  }
  // What brought events was no failure: the waiting begins anew.
  if (cursor !== before) attempt = 0
  const backoff =
    Math.min(RETRY_MS_MAX, 100 * 2 ** Math.min(attempt, 6)) * (0.5 + Math.random() / 2)
  process.stderr.write(`${text}: again from ${cursor ?? 'live'}\n`)
  await pause(waitMs ?? backoff, undefined, { signal: ended.signal }).catch(() => {})
}
process.stderr.write(`${cursor ?? ''}\n`)
