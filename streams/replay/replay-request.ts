/**
 * Parses the text arguments of a replay, the same on the command line and in the API. Pure.
 *
 * Each function throws the error that `refuse` makes of the argument's name and the reason.
 */

import { readTime, TIME_EXPECTED, UNIX_MS_MIN } from '../../domain/time/time.ts'
import { EVERYTHING, isOwnSubject, parsePattern, type SubjectPattern } from '../nats/subject.ts'
import type { ReplayBounds } from './replay.ts'

/** Absent: everything, from the beginning, up to now, without pauses. */
export type ReplayRequest = {
  subject?: string | undefined
  from?: string | undefined
  to?: string | undefined
  speed?: string | undefined
  to_subject?: string | undefined
}

export type RefuseReplay = (name: keyof ReplayRequest, reason: string) => Error

/** An integer below it is a sequence; from it to UNIX_MS_MIN it would as likely be Unix seconds (of 2001 and later). */
const SEQUENCE_PLAIN_BELOW = 1e9
const SEQUENCE = /^sequence:(\d{1,16})$/

export function replayBounds(request: ReplayRequest, refuse: RefuseReplay): ReplayBounds {
  const first = boundOf('from', request, refuse)
  const last = boundOf('to', request, refuse)
  if (isLater(first.ms, last.ms) || isLater(first.sequence, last.sequence)) {
    throw refuse('from', `expected no later than to "${request.to}"`)
  }
  return {
    fromMs: first.ms,
    toMs: last.ms,
    fromSequence: first.sequence,
    toSequence: last.sequence,
  }
}

/** Times the pace of the events' own clock; infinite: without pauses. */
export function replaySpeed({ speed: text = 'max' }: ReplayRequest, refuse: RefuseReplay): number {
  if (text === 'max') return Number.POSITIVE_INFINITY
  const speed = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && speed > 0 && Number.isFinite(speed)) return speed
  throw refuse('speed', 'expected a number above 0, or max')
}

export function replayPattern(
  { subject = EVERYTHING }: ReplayRequest,
  laneCount: number,
  refuse: RefuseReplay,
): SubjectPattern {
  const pattern = parsePattern(subject, laneCount)
  if ('error' in pattern) throw refuse('subject', pattern.error)
  return pattern
}

/** Subjects that the NATS server subscribes to: it would read any line as a command. */
const OF_NATS = /^(\$|_INBOX\.)/

/** Validates the subject of a replay: its messages must not be ingested, or published, again. */
export function outputSubject(subject: string, prefix: string, refuse: RefuseReplay): string {
  if (OF_NATS.test(subject)) throw refuse('to_subject', 'expected none that NATS reserves')
  if (/^[^\s.*>]+(\.[^\s.*>]+)*$/.test(subject) && !isOwnSubject(prefix, subject)) return subject
  throw refuse('to_subject', 'expected a subject without wildcards that no stream of ours has')
}

type Bound = { ms: number | null; sequence: number | null }

function boundOf(name: 'from' | 'to', request: ReplayRequest, refuse: RefuseReplay): Bound {
  const text = request[name]
  if (text === undefined) return { ms: null, sequence: null }
  const sequence = sequenceOf(text)
  if (sequence !== undefined) {
    if (Number.isSafeInteger(sequence)) return { ms: null, sequence }
    throw refuse(name, `expected a sequence of 0 to ${Number.MAX_SAFE_INTEGER}`)
  }
  const read = readTime(text, name === 'from' ? 'first' : 'last')
  if ('ms' in read) return { ms: read.ms, sequence: null }
  throw refuse(name, `${read.error}${alternativeTo(text, read.error)}`)
}

/** Names the other form of a bound where the text may have been meant as one: not after a day that does not exist. */
function alternativeTo(text: string, error: string): string {
  if (/^\d+$/.test(text) && Number(text) < UNIX_MS_MIN) return `, or sequence:${text}`
  return error.endsWith(TIME_EXPECTED) ? ', or a sequence' : ''
}

/** Undefined: the text is meant as a time. */
function sequenceOf(text: string): number | undefined {
  const marked = SEQUENCE.exec(text)?.[1]
  if (marked !== undefined) return Number(marked)
  return /^\d+$/.test(text) && Number(text) < SEQUENCE_PLAIN_BELOW ? Number(text) : undefined
}

/** A sequence as it may be given again. */
export function sequenceText(sequence: number): string {
  return sequence < SEQUENCE_PLAIN_BELOW ? String(sequence) : `sequence:${sequence}`
}

function isLater(from: number | null, to: number | null): boolean {
  return from !== null && to !== null && from > to
}
