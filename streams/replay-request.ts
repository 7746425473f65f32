/**
 * What is asked of a replay, as text: read the same on the command line and in the API. Pure.
 *
 * Each throws what `refuse` makes of the name of what was asked and the reason.
 */
import type { ReplayBounds } from './replay.ts'
import { EVERYTHING, isOwnSubject, parsePattern, type SubjectPattern } from './subject.ts'

/** Absent: everything, from the beginning, up to now, as fast as it goes. */
export type ReplayAsked = {
  subject?: string | undefined
  from?: string | undefined
  to?: string | undefined
  speed?: string | undefined
  to_subject?: string | undefined
}

export type RefuseReplay = (name: keyof ReplayAsked, reason: string) => Error

/** Above it an integer is Unix ms, not a sequence. */
const SEQUENCE_MAX = 1e11

export function replayBounds(asked: ReplayAsked, refuse: RefuseReplay): ReplayBounds {
  const first = boundOf('from', asked, refuse)
  const last = boundOf('to', asked, refuse)
  if (isLater(first.ms, last.ms) || isLater(first.sequence, last.sequence)) {
    throw refuse('from', `expected no later than to "${asked.to}"`)
  }
  return {
    fromMs: first.ms,
    toMs: last.ms,
    fromSequence: first.sequence,
    toSequence: last.sequence,
  }
}

/** Times the pace of the events' own clock; infinite: as fast as it goes. */
export function replaySpeed({ speed: text = 'max' }: ReplayAsked, refuse: RefuseReplay): number {
  if (text === 'max') return Number.POSITIVE_INFINITY
  const speed = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && speed > 0 && Number.isFinite(speed)) return speed
  throw refuse('speed', 'expected a number above 0, or max')
}

export function replayPattern(
  { subject = EVERYTHING }: ReplayAsked,
  laneCount: number,
  refuse: RefuseReplay,
): SubjectPattern {
  const pattern = parsePattern(subject, laneCount)
  if ('fault' in pattern) throw refuse('subject', pattern.fault)
  return pattern
}

/** What NATS itself listens to: it would take a line for a command, whatever stands in it. */
const OF_NATS = /^(\$|_INBOX\.)/

/** Where a replay may be published: what comes there must not be taken in, or announced, again. */
export function outputSubject(subject: string, prefix: string, refuse: RefuseReplay): string {
  if (OF_NATS.test(subject)) throw refuse('to_subject', 'expected none that NATS keeps for itself')
  if (/^[^\s.*>]+(\.[^\s.*>]+)*$/.test(subject) && !isOwnSubject(prefix, subject)) return subject
  throw refuse('to_subject', 'expected a subject without wildcards that no stream of ours has')
}

type Bound = { ms: number | null; sequence: number | null }

function boundOf(name: 'from' | 'to', asked: ReplayAsked, refuse: RefuseReplay): Bound {
  const text = asked[name]
  if (text === undefined) return { ms: null, sequence: null }
  const isInteger = /^\d+$/.test(text)
  const value = isInteger ? Number(text) : Date.parse(text)
  if (!Number.isSafeInteger(value) || value < 0) {
    throw refuse(name, 'expected a time like 2026-06-01T00:00:00Z, Unix ms or a sequence')
  }
  return isInteger && value < SEQUENCE_MAX
    ? { ms: null, sequence: value }
    : { ms: value, sequence: null }
}

function isLater(from: number | null, to: number | null): boolean {
  return from !== null && to !== null && from > to
}
