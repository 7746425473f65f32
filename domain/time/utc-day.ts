/**
 * Calendar days in UTC: `2026-08-01` and the Unix ms with which it begins. Pure.
 *
 * A date is one that the calendar has (no 30 February) with a year of four digits, so that texts order
 * as the days do.
 */
import { dayMsOrNone } from './time.ts'
import { DAY_MS } from './time-bucket.ts'

/** Whether a text is a date of the calendar, YYYY-MM-DD, from the year 1 on. */
export function isUtcDate(text: string): boolean {
  return dayMsOrNone(text) !== undefined
}

/** The date of the UTC day in which a Unix ms lies. */
export function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** Unix ms with which a date begins. The text is a date (isUtcDate). */
export function dayMsOf(date: string): number {
  return dayMsOrNone(date) ?? Number.NaN
}

/** Unix ms with which the UTC day of a moment begins. */
export function dayStartMs(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS
}
