// Exchanges with the feeds as docs/feeds.md prints them: lines that the client sent and frames that it received, with
// names for addresses and placeholders for what differs from run to run.

import { status } from '@grpc/grpc-js'
import { writeExact } from '../../../api/routing/json.ts'
import { parseExact } from '../../../domain/text/exact-json.ts'
import type { Ended, Subscribed, SwapStreamClient } from '../programs/swap-stream.ts'
import { subscribe } from '../programs/swap-stream.ts'
import { readText } from '../sources.ts'
import { until } from '../workers/pipeline.ts'
import type { FeedClient, Received } from './feed-client.ts'

type Entry = { by: '>' | '<'; words?: string; value: unknown }

export type Shown = {
  /** Items of data frames with their first fields only. */
  isBrief?: boolean
  /** Cursors and times of this exchange differ from run to run: data frames are left out, and numbers replaced. */
  isVolatile?: boolean
}

/** Frames that come by time. */
const TIMED = new Set(['heartbeat'])
/** Id of requests that the exchange does not have. */
const PROBE = 'probe'
const BRIEF = ['kind', 'signature', 'slot', 'swap_type', 'sol_amount', 'blockhash']
const WIDTH = 118
const INDENT = '    '
const OMITTED = '...'

/** A WebSocket whose frames are recorded from its handshake on. */
export class RecordedSocket {
  readonly client: FeedClient
  private readonly entries: Entry[] = []

  constructor(client: FeedClient) {
    this.client = client
    client.socket.on('message', (bytes) => {
      const value = parseExact(String(bytes)) as Received
      const isProbe = value.id === PROBE
      if (!TIMED.has(value.type) && !isProbe) this.entries.push({ by: '<', value })
    })
    client.socket.once('close', (code, reason) => {
      this.entries.push({ by: '<', words: `close ${code}`, value: String(reason) })
    })
  }

  send(request: object): void {
    this.entries.push({ by: '>', value: request })
    this.client.send(request)
  }

  /** The cursor of a subscription now, by a request that is not recorded. */
  async cursorOf(sub: string): Promise<string | null> {
    const had = this.client.of('subscriptions').length
    this.client.send({ op: 'list', id: PROBE })
    await until('the list', 60_000, () => this.client.of('subscriptions').length > had)
    const subs = this.client.of('subscriptions').at(-1)?.subs as {
      sub: string
      cursor: string | null
    }[]
    return subs.find((each) => each.sub === sub)?.cursor ?? null
  }

  /** Sends a text that is no JSON. */
  sendText(text: string): void {
    this.entries.push({ by: '>', words: text, value: undefined })
    this.client.socket.send(text)
  }

  /** The exchange since the last call, without the greeting unless it is wanted. */
  take(names: Names, shown: Shown & { hasWelcome?: boolean } = {}): string {
    const own = this.entries.splice(0).filter(({ value }) => {
      return shown.hasWelcome === true || (value as Received | undefined)?.type !== 'welcome'
    })
    return render(own, names, shown)
  }
}

/** A call of Subscribe with its request, metadata, answers and end. */
export class RecordedCall {
  readonly subscribed: Subscribed
  private readonly request: object
  private metadata: Record<string, string> = {}
  private taken = 0
  private ended: Ended | undefined

  constructor(client: SwapStreamClient, key: string, request: object) {
    this.request = request
    this.subscribed = subscribe(client, key, request)
    this.subscribed.metadata.then(
      (metadata) => {
        this.metadata = ownFields(metadata)
      },
      () => {},
    )
    void this.subscribed.ended.then((ended) => {
      this.ended = ended
    })
  }

  /** The exchange since the last call. */
  take(names: Names, shown: Shown = {}): string {
    const entries: Entry[] = []
    if (this.taken === 0) {
      entries.push({ by: '>', words: 'Subscribe', value: this.request })
      if (Object.keys(this.metadata).length > 0) {
        entries.push({ by: '<', words: 'metadata', value: this.metadata })
      }
    }
    const answers = this.subscribed.answers.slice(this.taken)
    this.taken += answers.length
    for (const { event, ...answer } of answers) {
      if (!TIMED.has(event)) entries.push({ by: '<', value: withoutDefaults(answer) })
    }
    if (this.ended !== undefined) {
      const { code, details, metadata } = this.ended
      const trailers = ownFields(metadata)
      const words = `status ${code} ${status[code]} ${JSON.stringify(details)}`
      entries.push({ by: '<', words, value: Object.keys(trailers).length > 0 ? trailers : '' })
    }
    return render(entries, names, shown)
  }
}

function ownFields(metadata: Ended['metadata']): Record<string, string> {
  const fields = Object.entries(metadata.getMap()).filter(([name]) => name.startsWith('x-swaptide'))
  return Object.fromEntries(fields.map(([name, value]) => [name, String(value)]))
}

/** proto3 sends no field that has its default. */
function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults)
  if (typeof value !== 'object' || value === null) return value
  const isDefault = (each: unknown): boolean =>
    each === '' ||
    each === '0' ||
    each === 0 ||
    each === false ||
    each === null ||
    (Array.isArray(each) && each.length === 0)
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) =>
      isDefault(each) || name.startsWith('_') ? [] : [[name, withoutDefaults(each)]],
    ),
  )
}

/** Texts that have a name in the document, by text. */
type Names = ReadonlyMap<string, string>

function render(entries: readonly Entry[], names: Names, shown: Shown): string {
  const lines = entries.map(({ by, words, value }) => {
    if (shown.isVolatile === true && hasEvents(value)) return OMITTED
    const json =
      value === undefined || value === '' ? '' : writeExact(shown.isBrief ? brief(value) : value)
    const text = [by, words, json].filter(Boolean).join(' ').replaceAll(',"...":0', ',...')
    return wrap(replaced(text, names, shown))
  })
  return lines.filter((line, index) => line !== OMITTED || lines[index - 1] !== OMITTED).join('\n')
}

function hasEvents(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    ('swaps' in value || (value as Received).type === 'data')
  )
}

function brief(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(brief)
  if (typeof value !== 'object' || value === null) return value
  const fields = value as Record<string, unknown>
  if ('signature' in fields) {
    const some = BRIEF.flatMap((name) => (name in fields ? [[name, fields[name]]] : []))
    return { ...Object.fromEntries(some), '...': 0 }
  }
  return Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, brief(each)]))
}

/** Fields that differ from run to run, with their placeholder. */
const DIFFERING: readonly [RegExp, string][] = [
  [/("conn":)"[^"]*"/g, '$1"CONNECTION"'],
  [/("(?:server_time|t)":)\d+/g, '$1TIME'],
  [/("reconnect_after_ms":)\d+/g, '$1MILLISECONDS'],
  [/("timestamp":)"?\d{13}"?(?=,"head")/g, '$1"TIME"'],
]
const VOLATILE: readonly [RegExp, string][] = [
  [/EPOCH-\d+(?:\.\d+)?/g, 'EPOCH-N'],
  [/("n":)"?\d+"?/g, '$1N'],
  [/for [\d.]+ s:/g, 'for N s:'],
]

function replaced(text: string, names: Names, { isVolatile = false }: Shown): string {
  let result = text
  for (const [own, name] of names) result = result.replaceAll(own, name)
  const rules = isVolatile ? [...DIFFERING, ...VOLATILE] : DIFFERING
  for (const [pattern, placeholder] of rules) result = result.replaceAll(pattern, placeholder)
  return result
}

/** Breaks a line after commas of the JSON, never within a text. */
function wrap(text: string): string {
  const lines: string[] = []
  let line = ''
  for (const part of text.split(/(?<=,)(?=["{]|\.\.\.)/)) {
    if (line !== '' && line.length + part.length > WIDTH) {
      lines.push(line)
      line = INDENT
    }
    line += part
  }
  return [...lines, line].join('\n')
}

/** The exchanges of a document by name: its fenced blocks with the language `frames`. */
export function exchangesOf(path: string): ReadonlyMap<string, string> {
  const blocks = readText(path).matchAll(/^```frames ([a-z-]+)\n([\s\S]*?)\n```$/gm)
  return new Map(Array.from(blocks, ([, name = '', text = '']) => [name, text]))
}
