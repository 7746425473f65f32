/**
 * One latest value: its parts as JSON, and the position of FEED up to which it is current. Pure.
 *
 * Invariants: a value that an event of FEED may have changed is stale until a read that includes the event; `doneTo`
 * never exceeds what was read. A part gets a new version exactly when its JSON differs.
 * The parts of a candle are its bucket and the one before. A subscriber first gets the newest part only, as in REST;
 * after that timestamps never go back, except in parts that are marked as corrections.
 */

import type { VenueNaming } from '../../../domain/venue.ts'
import { tokenStats } from '../../resources/token-stats/schema.ts'
import { type Write, writerOf } from '../../routing/json.ts'
import { withTextIntegers } from '../../routing/schema.ts'
import { namedSchema } from '../../routing/venue-naming.ts'
import type { Int64Form } from '../frame.ts'
import type { Subject } from './filter.ts'
import { streamedCandle, streamedMovers, streamedTrending } from './schema.ts'

/**
 * A part as read; its name identifies it across reads. The newest part comes last; `atMs`: the time by which a chart
 * orders the parts.
 */
export type ReadPart = { name: string; content: object; atMs?: number }
/** `version` 0: not sent until it changes. */
type Part = ReadPart & { text: string; textIntegers: string | undefined; version: number }
/** State of a subscriber: the version that it has, and the newest `atMs` that was sent to it. */
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
const MOVERS: Readonly<Record<VenueNaming, Writers>> = {
  ids: writers(streamedMovers),
  programs: writers(namedSchema(streamedMovers, 'programs')),
}

export class LatestValue {
  readonly name: string
  readonly subject: Subject
  /** Rises with each change. */
  version = 0
  /** Number of the read that the value is from; 0: not read yet. */
  readNumber = 0
  private readonly write: Writers
  private parts: Part[] = []
  /** First and last sequence of FEED that may have changed the value since it was read. */
  private unread: { from: number; to: number; sinceMs: number } | undefined

  constructor(name: string, subject: Subject, naming: VenueNaming = 'ids') {
    this.name = name
    this.subject = subject
    this.write = writersOf(subject, naming)
  }

  /** An event of FEED may have changed the value. */
  mark(sequence: number, nowMs: number): void {
    this.unread ??= { from: sequence, to: sequence, sinceMs: nowMs }
    this.unread.to = sequence
  }

  /** Applies a read that includes FEED up to `seen`. Returns whether anything changed. */
  put(parts: readonly ReadPart[], seen: number, readNumber: number): boolean {
    const before = this.version
    const known = new Map(this.parts.map((part) => [part.name, part]))
    // No part is known, as when the top pool changed: parts before the newest belong to another chart and are not sent.
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
    if (this.unread !== undefined) {
      if (seen >= this.unread.to) this.unread = undefined
      else this.unread.from = Math.max(this.unread.from, seen + 1)
    }
    return this.version !== before
  }

  /** Last sequence of FEED that the value may not include yet; undefined: it is current. */
  get awaited(): { to: number; sinceMs: number } | undefined {
    return this.unread
  }

  /** Treats the value as current: the awaited change will not come. */
  settle(): void {
    this.unread = undefined
  }

  /** Position of FEED up to which the value is current, if FEED was read up to `head`. */
  doneTo(head: number): number {
    return this.unread === undefined ? head : Math.min(head, this.unread.from - 1)
  }

  /**
   * JSON of the parts that a subscriber lacks, ascending, and its state after them: at first the newest part, later all
   * changed parts. A part that is older than the newest one sent is marked as a correction.
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

/** Only movers name venues. */
function writersOf(subject: Subject, naming: VenueNaming): Writers {
  if (subject.channel === 'candles') return CANDLE
  if (subject.channel === 'token_stats') return STATS
  return subject.ranking.board === 'trending' ? TRENDING : MOVERS[naming]
}
