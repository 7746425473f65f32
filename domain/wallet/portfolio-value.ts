/**
 * Portfolio value of a wallet by day: which days are closed, and the sum over mints of the quantity
 * held at a day's end times the closing price of the token's top pool. Pure; quantities are read by
 * history/swaps/wallets.ts, closes by sql/queries/chart.sql.
 *
 * Law: a closed day is computed once and stored; so a day counts as closed only when no swap of it is to
 * come by time: the newest indexed swap is past its end, and so is the wall clock.
 */
import { DAY_MS } from '../time/time-bucket.ts'
import { dayStartMs } from '../time/utc-day.ts'

/** Quantity held of a token at the ends of the days from `from_ms` until before `until_ms`, whole tokens. */
export type HeldQuantity = {
  token_id: number
  from_ms: number
  until_ms: number
  quantity: number
}

export type TokenMint = { id: number; mint: string }

/** SOL per whole token at the end of a day, and on the days after it until the token trades again. */
export type TokenClose = {
  token_id: number
  day_ms: number
  close: number
  carried_close: number
}

/** 54,000 slots are a chunk. */
const WIDE_SLOTS = 1_500_000

export type DaySpan = { fromMs: number; toMs: number }
export type DayWorth = { dayMs: number; valueSol: number }

/** One for all values. */
export const GENERIC_PLAN = 'force_generic_plan'

/**
 * How a statement over the swaps of these slots is planned. The planner visits every chunk of them: beyond about 30
 * that takes longer than reading them, and one plan for all values is cached instead.
 */
export function planFor(lowSlot: number, highSlot: number): string {
  return highSlot - lowSlot > WIDE_SLOTS ? GENERIC_PLAN : 'force_custom_plan'
}

/** The newest day that is closed, as the ms with which it begins. */
export function lastClosedDay(newestMs: number, nowMs: number): number {
  return Math.min(dayStartMs(newestMs), dayStartMs(nowMs)) - DAY_MS
}

function daysOf({ fromMs, toMs }: DaySpan): number[] {
  const days: number[] = []
  for (let dayMs = fromMs; dayMs <= toMs; dayMs += DAY_MS) days.push(dayMs)
  return days
}

/** First to last of the days that are not among the known ones; undefined when all are. */
export function missingSpan(span: DaySpan, known: Iterable<number>): DaySpan | undefined {
  const there = new Set(known)
  const missing = daysOf(span).filter((dayMs) => !there.has(dayMs))
  const [fromMs, toMs] = [missing[0], missing.at(-1)]
  return fromMs === undefined || toMs === undefined ? undefined : { fromMs, toMs }
}

/** Tokens whose closing prices are needed, from which day to before which: as columns. */
export function wantedCloses(
  held: readonly HeldQuantity[],
  { fromMs }: DaySpan,
): [tokenIds: number[], from: number[], until: number[]] {
  const spans = new Map<number, { from: number; until: number }>()
  for (const row of held) {
    if (row.quantity === 0) continue
    const from = Math.max(row.from_ms, fromMs)
    const known = spans.get(row.token_id)
    if (known === undefined) spans.set(row.token_id, { from, until: row.until_ms })
    else known.until = row.until_ms
  }
  const all = [...spans.values()]
  return [[...spans.keys()], all.map(({ from }) => from), all.map(({ until }) => until)]
}

/**
 * The value of each day of the span: summed by mint, because a sum of doubles depends on its order, and ids are given as
 * tokens arrive. Quantities and closes are ordered by token and day; a token without a close on or before a day has the
 * value 0 that day. `mints`: of all tokens with a close.
 */
export function dayWorths(
  held: readonly HeldQuantity[],
  closes: readonly TokenClose[],
  mints: readonly TokenMint[],
  span: DaySpan,
): DayWorth[] {
  const worths = daysOf(span).map((dayMs) => ({ dayMs, valueSol: 0 }))
  const closesOf = Map.groupBy(closes, (row) => row.token_id)
  const heldOf = Map.groupBy(held, (row) => row.token_id)
  for (const { id } of mints.toSorted((a, b) => (a.mint < b.mint ? -1 : 1))) {
    const [rows, ofToken] = [heldOf.get(id), closesOf.get(id)]
    if (rows === undefined || ofToken === undefined) continue
    const closeOn = closeByDay(ofToken)
    for (const { from_ms, until_ms, quantity } of rows) {
      if (quantity === 0) continue
      const from = Math.max(from_ms, span.fromMs)
      const until = Math.min(until_ms, span.toMs + DAY_MS)
      for (let dayMs = from; dayMs < until; dayMs += DAY_MS) {
        const worth = worths[(dayMs - span.fromMs) / DAY_MS] as DayWorth
        worth.valueSol += quantity * closeOn(dayMs)
      }
    }
  }
  return worths
}

/** Closes of one token by day, to be read in ascending days. No array is read outside of its bounds: slow. */
function closeByDay(closes: readonly TokenClose[]): (dayMs: number) => number {
  let next = 0
  return (dayMs) => {
    while (next < closes.length && (closes[next] as TokenClose).day_ms <= dayMs) next += 1
    if (next === 0) return 0
    const row = closes[next - 1] as TokenClose
    return row.day_ms === dayMs ? row.close : row.carried_close
  }
}
