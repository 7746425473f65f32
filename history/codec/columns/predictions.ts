/**
 * Predictions of a row's columns from its other columns and the rows before it: what they explain is not stored. Pure.
 *
 * Law: these are frozen with format 1, whatever happens to the rules of `domain/`. A prediction may be wrong, since its
 * difference to the value is stored, but must be the same in both directions: it reads only what a reader knows by then, in
 * integers or in operations of doubles that IEEE 754 defines to the bit.
 *
 * Each is stated in docs/history-format.md#block.
 */

import type { BlockColumns } from './block-columns.ts'
import type { Int64Cell, Int64Column } from './int64-column.ts'
import type { Predict } from './integers.ts'

const BPS = 10_000
const SLOT_MS = 400
/** The venue whose price is that of its virtual reserves. */
const CURVE_DEX = 1
const LAMPORTS_PER_SOL = 1e9
/** 10^0 to 10^22 are exact doubles. */
const POWERS_OF_TEN = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`))

/** The value of the pool's row before, for rows that have one. */
export function likePrevious(columns: BlockColumns, column: Int64Column): Predict {
  return (row, into) => into.load(column, columns.previous[row] as number)
}

/** 400 ms a slot after the row before, of any pool. */
export function timePrediction({ integers }: BlockColumns): Predict {
  const { slot, timestamp_ms: time } = integers
  return (row, into) => {
    if (row === 0) into.near(0)
    else into.near(time.near(row - 1) + SLOT_MS * (slot.near(row) - slot.near(row - 1)))
  }
}

/** floor(sol_amount x bps / 10,000) */
export function feePrediction({ integers }: BlockColumns, bps: Int64Column): Predict {
  return (row, into) =>
    into.near(Math.floor((integers.sol_amount.near(row) * (bps.low[row] as number)) / BPS))
}

/** For rows with a row before in the pool. A buy adds SOL and removes tokens. */
export function reservePrediction(
  columns: BlockColumns,
  reserve: Int64Column,
  side: 'sol' | 'token',
): Predict {
  const { integers, isBuy, previous } = columns
  const moved = side === 'sol' ? integers.sol_amount : integers.token_amount
  return (row, into) => {
    into.load(reserve, previous[row] as number)
    if (isZero(into)) return
    const [high, low] = [moved.high[row] as number, moved.low[row] as number]
    if ((isBuy.low[row] === 1) === (side === 'sol')) into.add(high, low)
    else into.subtract(high, low)
  }
}

/** For rows without one: the virtual reserve is the real one and the distance of the venue's first row before. */
export function virtualPrediction(
  columns: BlockColumns,
  virtual: Int64Column,
  real: Int64Column,
): Predict {
  return (row, into) => {
    const before = columns.ofVenue[row] as number
    if (before < 0) {
      into.near(0)
      return
    }
    into.load(virtual, before)
    if (isZero(into)) return
    into.subtract(real.high[before] as number, real.low[before] as number)
    into.add(real.high[row] as number, real.low[row] as number)
  }
}

const isZero = ({ high, low }: Int64Cell): boolean => high === 0 && low === 0

/** The expected double of a row, or null. */
export type PredictDouble = (row: number) => number | null

/** SOL over tokens of the reserves that the venue goes by. */
export function poolPricePrediction({ integers }: BlockColumns): PredictDouble {
  return (row) => {
    const isCurve = integers.dex.low[row] === CURVE_DEX
    const sol = isCurve ? integers.virtual_sol_reserves : integers.real_sol_reserves
    const token = isCurve ? integers.virtual_token_reserves : integers.real_token_reserves
    const tokens = token.near(row)
    if (tokens === 0) return 0
    const scale = POWERS_OF_TEN[integers.quote_decimals.low[row] as number]
    return scale === undefined ? 0 : sol.near(row) / LAMPORTS_PER_SOL / (tokens / scale)
  }
}

/** The pool's price after its row before, where that row has a price before. */
export function priceBeforePrediction({ previous, doubles, nulls }: BlockColumns): PredictDouble {
  return (row) => {
    const before = previous[row] as number
    if (before < 0 || nulls.price_before[before] === 1) return null
    return doubles.pool_price[before] as number
  }
}

/** The pool's price, where the row has a price before. */
export function priceAfterPrediction({ doubles, nulls }: BlockColumns): PredictDouble {
  return (row) => (nulls.price_before[row] === 1 ? null : (doubles.pool_price[row] as number))
}
