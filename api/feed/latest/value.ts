/**
 * One latest value: its parts as JSON, and how far of FEED it is known to be. Pure.
 *
 * Law: a value that FEED said was changed is behind until a read began that could see the change; `doneTo`
 * never says more than what was read. A part has a new version exactly when its JSON differs.
 */
import { type Write, writerOf } from '../../json.ts'
import { tokenStats } from '../../token-stats/schema.ts'
import type { Int64Form } from '../present.ts'
import { withTextIntegers } from '../schema.ts'
import type { Subject } from './filter.ts'
import { streamedCandle, streamedMovers, streamedTrending } from './schema.ts'

/** What was read: the same name is the same thing at another time. */
export type ReadPart = { name: string; content: object }
type Part = ReadPart & { text: string; textIntegers: string | undefined; version: number }

type Writers = Readonly<Record<Int64Form, Write>>
const writers = (schema: Parameters<typeof writerOf>[0]): Writers => ({
  number: writerOf(schema),
  string: writerOf(withTextIntegers(schema)),
})
const CANDLE = writers(streamedCandle)
const STATS = writers(tokenStats)
const TRENDING = writers(streamedTrending)
const MOVERS = writers(streamedMovers)

export class LatestValue {
  readonly name: string
  readonly subject: Subject
  /** Rises with each change. */
  version = 0
  /** Whether it was read at all. */
  isRead = false
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
  put(parts: readonly ReadPart[], seen: number): boolean {
    const before = this.version
    const known = new Map(this.parts.map((part) => [part.name, part]))
    this.parts = parts.map(({ name, content }) => {
      const text = this.write.number(content)
      const same = known.get(name)
      if (same?.text === text) return same
      this.version = before + 1
      return { name, content, text, textIntegers: undefined, version: this.version }
    })
    this.isRead = true
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

  /** JSON of what is newer than a version. */
  textsSince(version: number, form: Int64Form): string[] {
    return this.parts
      .filter((part) => part.version > version)
      .map((part) => {
        if (form === 'number') return part.text
        part.textIntegers ??= this.write.string(part.content)
        return part.textIntegers
      })
  }
}

function writersOf(subject: Subject): Writers {
  if (subject.channel === 'candles') return CANDLE
  if (subject.channel === 'token_stats') return STATS
  return subject.ranking.board === 'trending' ? TRENDING : MOVERS
}
