/**
 * One latest value: its parts as JSON, and how far of FEED it is known to be. Pure.
 *
 * Law: a value that FEED said was changed is behind until a read began that could see the change; `doneTo`
 * never says more than what was read. A part has a new version exactly when its JSON differs.
 * The parts of a candle are its bucket and the one before. A subscriber first gets the newest part alone, as REST
 * answers; after that times never go back, except in parts that are marked as corrections.
 */

import { tokenStats } from '../../resources/token-stats/schema.ts'
import { type Write, writerOf } from '../../routing/json/json.ts'
import type { Int64Form } from '../websocket/protocol/present.ts'
import { withTextIntegers } from '../websocket/protocol/schema.ts'
import type { Subject } from './filter.ts'
import { streamedCandle, streamedMovers, streamedTrending } from './schema.ts'

/**
 * What was read: the same name is the same thing at another time. Of several the newest is last; `atMs`: the time
 * that a chart orders them by.
 */
export type ReadPart = { name: string; content: object; atMs?: number }
/** `version` 0: not sent before it changes. */
type Part = ReadPart & { text: string; textIntegers: string | undefined; version: number }
/** What a subscriber has of a value: a version, and the newest `atMs` of its parts that was sent. */
export type Sent = { version: number; atMs: number }
const NOTHING_SENT: Sent = { version: 0, atMs: Number.NEGATIVE_INFINITY }

type Writers = Readonly<Record<Int64Form, Write>>
const writers = (schema: Parameters<typeof writerOf>[0]): Writers => ({
  number: writerOf(schema),
  string: writerOf(withTextIntegers(schema)),
})
const CORRECTION = ',"correction":true'
const CANDLE = writers(streamedCandle)
const STATS = writers(tokenStats)
const TRENDING = writers(streamedTrending)
const MOVERS = writers(streamedMovers)

export class LatestValue {
  readonly name: string
  readonly subject: Subject
  /** Rises with each change. */
  version = 0
  /** Number of the newest read that it is of; 0: none. */
  readNumber = 0
  private readonly write: Writers
  private parts: Part[] = []
  /** First and last sequence of FEED that may have changed it since it was read. */
  private behind: { from: number; to: number; sinceMs: number } | undefined

  constructor(name: string, subject: Subject) {
    this.name = name
    this.subject = subject
    this.write = writersOf(subject)
  }

  /** FEED has something of it. */
  mark(sequence: number, nowMs: number): void {
    this.behind ??= { from: sequence, to: sequence, sinceMs: nowMs }
    this.behind.to = sequence
  }

  /** What a read gave that has seen all of FEED up to `seen`. Answers whether anything is new. */
  put(parts: readonly ReadPart[], seen: number, readNumber: number): boolean {
    const before = this.version
    const known = new Map(this.parts.map((part) => [part.name, part]))
    // All are of another pool: what lies before its newest candle belongs to another chart.
    const isOther = known.size > 0 && !parts.some(({ name }) => known.has(name))
    this.parts = parts.map((part, index) => {
      const text = this.write.number(part.content)
      const same = known.get(part.name)
      if (same?.text === text) return same
      this.version = before + 1
      const isNewest = index === parts.length - 1
      const version = isOther && !isNewest ? 0 : this.version
      return { ...part, text, textIntegers: undefined, version }
    })
    this.readNumber = readNumber
    if (this.behind !== undefined) {
      if (seen >= this.behind.to) this.behind = undefined
      else this.behind.from = Math.max(this.behind.from, seen + 1)
    }
    return this.version !== before
  }

  /** Sequence of the last event that may have changed it unseen; undefined: there is none. */
  get awaited(): { to: number; sinceMs: number } | undefined {
    return this.behind
  }

  /** What it was said to lack will not come. */
  settle(): void {
    this.behind = undefined
  }

  /** All of FEED up to here is in it, FEED being read up to `head`. */
  doneTo(head: number): number {
    return this.behind === undefined ? head : Math.min(head, this.behind.from - 1)
  }

  /**
   * JSON of what a subscriber lacks, ascending, with what it has afterwards: at first the newest part, then all that
   * changed. A part that is older than the newest that was sent is marked as a correction.
   */
  textsSince(sent: Sent | undefined, form: Int64Form): { texts: string[]; sent: Sent } {
    const { version, atMs } = sent ?? NOTHING_SENT
    const parts = sent === undefined ? this.parts.slice(-1) : this.parts
    let newestMs = atMs
    const texts = parts.flatMap((part) => {
      if (part.version <= version) return []
      const text = this.textOf(part, form)
      const isOlder = part.atMs !== undefined && part.atMs < newestMs
      newestMs = Math.max(newestMs, part.atMs ?? newestMs)
      return [isOlder ? `${text.slice(0, -1)}${CORRECTION}}` : text]
    })
    return { texts, sent: { version: this.version, atMs: newestMs } }
  }

  private textOf(part: Part, form: Int64Form): string {
    if (form === 'number') return part.text
    part.textIntegers ??= this.write.string(part.content)
    return part.textIntegers
  }
}

function writersOf(subject: Subject): Writers {
  if (subject.channel === 'candles') return CANDLE
  if (subject.channel === 'token_stats') return STATS
  return subject.ranking.board === 'trending' ? TRENDING : MOVERS
}
