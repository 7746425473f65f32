/**
 * Folds new swaps into their pool's candles. Pure.
 *
 * Law: a batch's candles are merged into the stored ones (statement pool/merge_sums): high, low, volumes, counts and
 * slots are right in any order. Open and close are right, too, when the stored swaps of the bucket all precede the
 * batch's; where that is not certain (`isUnsure`) they are read again.
 *
 * Decision: docs/decisions/0019-candles-are-rows-merged-on-commit.md
 */
import { sum } from '../../domain/amount.ts'
import { type Candle, MinuteFold, mergeCandles } from '../../domain/market/candle/candle.ts'
import { isDollarMint } from '../../domain/quote-mint.ts'
import { bucketOf, FOUR_HOURS_MS, MINUTE_MS, QUARTER_MS } from '../../domain/time/time-bucket.ts'
import type { AcceptedSwap, PoolState } from './pool-state.ts'

export type PoolCandles = {
  state: PoolState
  /** Each in the order of time. */
  minutes: Candle[]
  quarters: Candle[]
  fours: Candle[]
  /** A late swap may be the pool's last priced one. */
  isLastPriceUnsure: boolean
  /** Present for dollar mints only. */
  dollars: DollarMinute[]
}

/**
 * Folds new swaps of one pool, in canonical order. `newestBeforeMs`: the greatest time of a swap of the
 * pool before them.
 */
export function foldCandles(
  state: PoolState,
  newestBeforeMs: number | undefined,
  accepted: readonly AcceptedSwap[],
): PoolCandles {
  const fold = new MinuteFold()
  for (const each of accepted) fold.add(each)
  const minutes = fold.sorted()
  const settledBeforeMs = newestBeforeMs === undefined ? 0 : bucketOf(newestBeforeMs, MINUTE_MS)
  const quarters = mergeCandles(minutes, QUARTER_MS, settledBeforeMs)
  return {
    state,
    minutes,
    quarters,
    fours: mergeCandles(quarters, FOUR_HOURS_MS, 0),
    isLastPriceUnsure: minutes.some(({ isUnsure }) => isUnsure),
    dollars: isDollarMint(state.tokenAddress) ? foldDollars(accepted) : [],
  }
}

function foldDollars(accepted: readonly AcceptedSwap[]): DollarMinute[] {
  const fold = new DollarFold()
  for (const each of accepted) fold.add(each)
  return fold.sorted()
}

/** Priced trades of a minute in one pool of a dollar mint. */
export type DollarMinute = {
  poolId: number
  bucketMs: number
  decimals: number
  lamports: number | bigint
  units: number | bigint
}

/** SOL and tokens of one pool's priced trades by minute: sums, so that no order matters. */
export class DollarFold {
  private readonly minutes = new Map<string, DollarMinute>()

  add({ swap, state, price }: AcceptedSwap): void {
    if (price === null) return
    const bucketMs = bucketOf(swap.timestamp, MINUTE_MS)
    const { quoteDecimals: decimals, solAmount, tokenAmount } = swap
    const key = `${bucketMs} ${decimals}`
    const minute = this.minutes.get(key)
    if (minute === undefined) {
      const { poolId } = state
      this.minutes.set(key, { poolId, bucketMs, decimals, lamports: solAmount, units: tokenAmount })
      return
    }
    minute.lamports = sum(minute.lamports, solAmount)
    minute.units = sum(minute.units, tokenAmount)
  }

  sorted(): DollarMinute[] {
    return [...this.minutes.values()].sort(
      (a, b) => a.bucketMs - b.bucketMs || a.decimals - b.decimals,
    )
  }
}
