/**
 * Names and numbers of TradingView's UDF protocol (Universal Data Feed): resolutions of bars, and the scale of a price.
 * Pure.
 */
import { DAY_MS, MINUTE_MS } from '../../../domain/time/time-bucket.ts'
import { TIMEFRAMES, type Timeframe, widthOf } from '../../../domain/time/timeframe.ts'

/** Minutes as a number, days as `1D`. */
const nameOf = (timeframe: Timeframe): string => {
  const widthMs = widthOf(timeframe)
  return widthMs < DAY_MS ? String(widthMs / MINUTE_MS) : `${widthMs / DAY_MS}D`
}

const BY_NAME: ReadonlyMap<string, Timeframe> = new Map(
  TIMEFRAMES.map((timeframe) => [nameOf(timeframe), timeframe]),
)
export const BAR_RESOLUTIONS: readonly string[] = [...BY_NAME.keys()]
/** Charts also write a day without its number. */
const DAY_ALIASES: Readonly<Record<string, string>> = { D: '1D' }
export const ACCEPTED_RESOLUTIONS: readonly string[] = [
  ...BAR_RESOLUTIONS,
  ...Object.keys(DAY_ALIASES),
]

/** `resolution`: one of ACCEPTED_RESOLUTIONS. */
export function timeframeOf(resolution: string): Timeframe {
  const timeframe = BY_NAME.get(DAY_ALIASES[resolution] ?? resolution)
  if (timeframe === undefined) throw new RangeError(`unknown resolution "${resolution}"`)
  return timeframe
}

const SIGNIFICANT_DIGITS = 5
const SCALE_DIGITS_MIN = 2
/** A scale is an exact integer of JSON. */
const SCALE_DIGITS_MAX = 15
/** Tokens of a thousand million pieces cost about 10^-8 SOL. */
const SCALE_DIGITS_UNPRICED = 12

/** Prices are shown in steps of one divided by this: a power of ten that shows five digits of the price. */
export function priceScale(priceSol: number | null): number {
  if (priceSol === null || priceSol <= 0) return 10 ** SCALE_DIGITS_UNPRICED
  const digits = SIGNIFICANT_DIGITS - 1 - Math.floor(Math.log10(priceSol))
  return 10 ** Math.min(SCALE_DIGITS_MAX, Math.max(SCALE_DIGITS_MIN, digits))
}
