/**
 * Range of UTC dates as route parameters: `to` defaults to today, `from` to 30 days before `to`, both inclusive.
 */
import { DAY_MS } from '../../../domain/time/time-bucket.ts'
import { dateOf, dayMsOf, dayStartMs } from '../../../domain/time/utc-day.ts'
import { ApiError } from '../error.ts'

/** Unix ms with which the first and the last day begin, and their dates. */
export type DateRange = { from: string; to: string; fromMs: number; toMs: number }

/** Default number of days from `from` to `to`. */
const DAYS_BACK = 30

/**
 * The dates are of the calendar (checked by the schema). Throws ApiError INVALID_PARAM where `from` is later than `to`,
 * or where there are more inclusive days than `daysMax`.
 */
export function dateRangeOf(
  dates: { from?: string; to?: string },
  { nowMs, daysMax }: { nowMs: number; daysMax?: number },
): DateRange {
  const toMs = dates.to === undefined ? dayStartMs(nowMs) : dayMsOf(dates.to)
  const fromMs = dates.from === undefined ? toMs - DAYS_BACK * DAY_MS : dayMsOf(dates.from)
  const range = { from: dateOf(fromMs), to: dateOf(toMs), fromMs, toMs }
  if (fromMs > toMs) {
    throw new ApiError(
      'INVALID_PARAM',
      `from "${range.from}": expected no later than "${range.to}"`,
    )
  }
  const days = (toMs - fromMs) / DAY_MS + 1
  if (daysMax !== undefined && days > daysMax) {
    const text = `from "${range.from}" to "${range.to}" are ${days} days: expected at most ${daysMax}`
    throw new ApiError('INVALID_PARAM', text)
  }
  return range
}
