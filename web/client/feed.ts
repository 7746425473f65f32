/**
 * The WebSocket feed of the page: one connection for all subscriptions, opened with the first and closed after the last.
 *
 * Events are resumed from the cursor of the newest frame, so that a page that was asleep loses none; latest values begin
 * with a new snapshot. A cursor that the server no longer accepts ends the subscription's history: `onLost` loads it again.
 */
import { signal } from '@preact/signals'
import { restore } from '../../clients/typescript/request.ts'
import { needsKey } from './session.ts'

export type Subscription = {
  channel: keyof typeof SHAPES
  filter: Readonly<Record<string, unknown>>
  /** Cursor that the first frame continues from; absent: from now on. */
  cursor?: string | undefined
  onFrame: (values: readonly unknown[]) => void
  /** Events between the cursor and now can no longer be delivered. */
  onLost?: () => void
}

type FeedState = {
  mode: 'idle' | 'connecting' | 'live' | 'cut'
  /** Unix ms since which it is in this mode. */
  since: number
  /** Milliseconds that the connection was cut before it became live again. */
  resumedAfterMs: number
}

type Frame = {
  type: string
  sub?: string
  code?: string
  cursor?: string | null
  data?: readonly unknown[]
  subs?: Record<string, { cursor: string | null }>
}

/** Shape of a value, by which its integers are restored. */
const SHAPES = {
  swaps: 'StreamedSwap',
  pool_events: 'StreamedPoolEvent',
  candles: 'StreamedCandle',
  token_stats: 'TokenStats',
  rankings: 'StreamedTrending',
} as const
const FEED_PATH = '/ws/v1'
const RETRY_MS = { first: 500, max: 15_000 }
/** The server sends a frame every 15 s at least. */
const SILENCE_MS_MAX = 45_000
/** Closes after which the same would come again. */
const KEY_CLOSE = 4401

export const feedState = signal<FeedState>({ mode: 'idle', since: Date.now(), resumedAfterMs: 0 })

const subscriptions = new Map<string, Subscription>()
let socket: WebSocket | undefined
let names = 0
let failures = 0
let cutAt: number | undefined
let retry: ReturnType<typeof setTimeout> | undefined
let silence: ReturnType<typeof setTimeout> | undefined

/** Subscribes until the result is called. */
export function subscribe(subscription: Subscription): () => void {
  const name = `page-${++names}`
  subscriptions.set(name, { ...subscription })
  if (socket?.readyState === WebSocket.OPEN) request(name)
  else connect()
  return () => {
    subscriptions.delete(name)
    if (socket?.readyState === WebSocket.OPEN) send({ op: 'unsubscribe', sub: name })
  }
}

function send(frame: object): void {
  socket?.send(JSON.stringify(frame))
}

function request(name: string): void {
  const found = subscriptions.get(name)
  if (found === undefined) return
  const { channel, filter, cursor } = found
  const isEvents = channel === 'swaps' || channel === 'pool_events'
  const from = isEvents && cursor !== undefined ? { from: { cursor } } : {}
  send({ op: 'subscribe', sub: name, channel, filter, int64: 'string', ...from })
}

function move(mode: FeedState['mode'], resumedAfterMs = 0): void {
  feedState.value = { mode, since: Date.now(), resumedAfterMs }
}

function connect(): void {
  if (socket !== undefined || retry !== undefined) return
  const { protocol, host } = window.location
  const opened = new WebSocket(`${protocol === 'https:' ? 'wss' : 'ws'}://${host}${FEED_PATH}`)
  socket = opened
  if (cutAt === undefined) move('connecting')
  opened.onopen = () => {
    for (const name of subscriptions.keys()) request(name)
  }
  opened.onmessage = ({ data: text }) => {
    expectFrames()
    take(JSON.parse(String(text)) as Frame)
  }
  opened.onclose = ({ code }) => {
    clearTimeout(silence)
    socket = undefined
    if (subscriptions.size === 0) return move('idle')
    if (code === KEY_CLOSE) needsKey.value = true
    cutAt ??= Date.now()
    if (feedState.value.mode !== 'cut') move('cut')
    const waitMs = Math.min(RETRY_MS.max, RETRY_MS.first * 2 ** failures++)
    retry = setTimeout(() => {
      retry = undefined
      connect()
    }, waitMs)
  }
}

function expectFrames(): void {
  clearTimeout(silence)
  silence = setTimeout(() => socket?.close(), SILENCE_MS_MAX)
}

/** Reconnects at once: the page woke up, or has a key again. */
export function reconnect(): void {
  if (socket !== undefined || subscriptions.size === 0) return
  clearTimeout(retry)
  retry = undefined
  connect()
}

function take(frame: Frame): void {
  if (frame.type === 'welcome') {
    failures = 0
    move('live', cutAt === undefined ? 0 : Date.now() - cutAt)
    cutAt = undefined
  }
  for (const [name, { cursor }] of Object.entries(frame.subs ?? {})) {
    const found = subscriptions.get(name)
    if (found !== undefined && cursor !== null) found.cursor = cursor
  }
  const found = subscriptions.get(frame.sub ?? '')
  if (found === undefined) return
  if (frame.cursor !== undefined && frame.cursor !== null) found.cursor = frame.cursor
  if (frame.type === 'data' || frame.type === 'snapshot') {
    found.onFrame(restore(frame.data ?? [], [SHAPES[found.channel]]) as unknown[])
  } else if (frame.type === 'error' && frame.code?.startsWith('CURSOR_')) {
    found.cursor = undefined
    found.onLost?.()
    request(frame.sub ?? '')
  }
}
