/**
 * The one reader of times: for every command, route, feed and job. Pure.
 *
 * Law: a time is ISO 8601 with a zone, a date only (the whole UTC day), or Unix ms. Anything else is refused with the
 * way it was read: no time is guessed from a text that a lenient parser would accept ("foo 1"), no day that the
 * calendar lacks becomes the next one, and no Unix seconds are read as a ms of January 1970. Digits finer than a
 * millisecond narrow the range: a first moment is rounded up, a last one down.
 */
import { DAY_MS } from './time-bucket.ts'

/** The end of a range that a time is: a date without a time is its first or its last millisecond. */
export type Edge = 'first' | 'last'
type TimeRead = { ms: number } | { error: string }

export const TIME_EXPECTED =
  'expected a time like 2026-07-20T12:00:00Z (ISO 8601 with a zone), a date like 2026-07-20 (in UTC) or Unix ms'

/** Below it an integer is no Unix ms (of 1973 and before) but most likely Unix seconds; 0 is the same in both. */
export const UNIX_MS_MIN = 1e11
/** The last millisecond that a date of ECMAScript can be: exact as a double, even with a bucket's width added. */
export const TIME_MAX_MS = 8_640_000_000_000_000

/** Least plausible Unix seconds: 1973. Smaller numbers are no time at all. */
const UNIX_SECONDS_MIN = 1e8
/** Integers that are most likely Unix microseconds, of 2001 to 2223: as ms they lie beyond the year 30,000. */
const MICROSECONDS = { min: 1e15, below: 8e15 }
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const HTTP_DATE =
  /^[A-Z][a-z]{2}, (\d{1,2}) [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} (?:UTC|GMT|\+0000)$/
const MOMENT =
  /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d{2}(?::?\d{2})?)?$/

/** The message continues after the text in quotes: `from "foo 1": expected a time like ...`. */
export function readTime(text: string, edge: Edge): TimeRead {
  if (/^\d/.test(text)) {
    if (/^\d+(?:\.\d+)?$/.test(text)) return readUnixMs(text)
    if (DATE.test(text)) return readDate(text, edge)
    const match = MOMENT.exec(text)
    if (match !== null) return readMoment(match, edge)
    if (/^\d{4}-\d{2}-\d{2}[ Tt_].*\d/.test(text)) return { error: errorOfMoment(text) }
  }
  return { error: TIME_EXPECTED }
}

/** Unix ms of a date as RFC 1123 has it, `Sat, 05 Dec 2026 02:15:35 UTC`; undefined: it is none. */
export function readHttpDate(text: string): number | undefined {
  const match = HTTP_DATE.exec(text)
  if (match === null) return undefined
  const ms = Date.parse(text)
  // A day that the month lacks would become one of the next.
  return Number.isNaN(ms) || new Date(ms).getUTCDate() !== Number(match[1]) ? undefined : ms
}

function readUnixMs(text: string): TimeRead {
  const value = Number(text)
  if (text === '0') return { ms: 0 }
  if (value < UNIX_MS_MIN) return { error: errorOfSeconds(text, value) }
  if (!/^[1-9]\d*$/.test(text)) return { error: TIME_EXPECTED }
  if (value > TIME_MAX_MS) return { error: `expected an integer of 0 to ${TIME_MAX_MS}` }
  if (value < MICROSECONDS.min || value >= MICROSECONDS.below) return { ms: value }
  const ms = Math.floor(value / 1_000)
  return { error: `looks like Unix microseconds: expected Unix ms, such as ${ms}` }
}

function errorOfSeconds(text: string, seconds: number): string {
  const day = /^(\d{4})(\d{2})(\d{2})$/.exec(text)?.slice(1).join('-')
  if (day !== undefined && dayMsOrNone(day) !== undefined) return `write the date as ${day}`
  if (seconds < UNIX_SECONDS_MIN)
    return `too small for Unix ms (seconds are not read): ${TIME_EXPECTED}`
  const ms = Math.floor(seconds * 1_000)
  return `looks like Unix seconds (${new Date(ms).toISOString()}): expected Unix ms, such as ${ms}`
}

function readDate(text: string, edge: Edge): TimeRead {
  const ms = dayMsOrNone(text)
  if (ms === undefined) return { error: `the calendar has no day ${text}` }
  return notBefore1970(edge === 'first' ? ms : ms + DAY_MS - 1)
}

function readMoment(match: RegExpExecArray, edge: Edge): TimeRead {
  const [, date = '', hour, minute, second = '0', fraction = '', zone] = match
  const dayMs = dayMsOrNone(date)
  if (dayMs === undefined) return { error: `the calendar has no day ${date}` }
  const [hours, minutes, seconds] = [Number(hour), Number(minute), Number(second)]
  if (hours > 23) return { error: `no hour ${hour}: expected 00 to 23, midnight as 00:00 of a day` }
  if (minutes > 59) return { error: `no minute ${minute}: expected 00 to 59` }
  // Unix time has no leap seconds.
  if (seconds > 59) return { error: `no second ${second}: expected 00 to 59` }
  if (zone === undefined) return { error: 'without a zone: end it with Z for UTC, or +02:00' }
  const offset = offsetMinutes(zone)
  if (offset === undefined) return { error: `no offset ${zone}: expected -23:59 to +23:59` }
  const whole = dayMs + ((hours * 60 + minutes - offset) * 60 + seconds) * 1_000
  return notBefore1970(whole + millisecondsOf(fraction, edge))
}

function millisecondsOf(fraction: string, edge: Edge): number {
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'))
  const isFiner = /[1-9]/.test(fraction.slice(3))
  return isFiner && edge === 'first' ? ms + 1 : ms
}

/** Minutes that a zone is ahead of UTC. */
function offsetMinutes(zone: string): number | undefined {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? []
  const total = Number(hours) * 60 + Number(minutes)
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined
  return sign === '-' ? -total : total
}

function notBefore1970(ms: number): TimeRead {
  if (ms >= 0) return { ms }
  return { error: `is before 1970 (Unix ms ${ms}): expected a later time` }
}

/** Error text for a malformed time, with a specific sentence for frequent mistakes. */
function errorOfMoment(text: string): string {
  // A URL's "+" is a space by the time that it is read.
  if (/ \d{2}:?\d{2}$/.test(text.slice('2026-07-20T'.length))) {
    return 'without a zone: the "+" of an offset is written %2B in a URL'
  }
  return /^.{10}[ _]/.test(text) ? `no "T" between date and time: ${TIME_EXPECTED}` : TIME_EXPECTED
}

/** Unix ms with which a day of the calendar begins, from the year 1 on; undefined where it has no such day. */
export function dayMsOrNone(text: string): number | undefined {
  const [, year, month, day] = DATE.exec(text) ?? []
  if (year === undefined || year === '0000') return undefined
  // Date.UTC reads the years 0 to 99 as 1900 to 1999.
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  const isSame = date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day)
  return isSame ? date.getTime() : undefined
}

/** Milliseconds that clocks may be apart, as for leases. */
const SKEW_MS_MAX = 60_000

/** The last time that a clock which is right may have written by now. */
export function latestMs(nowMs: number): number {
  return nowMs + SKEW_MS_MAX
}
