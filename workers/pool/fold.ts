/**
 * Folds the events of a batch in one pool: its pool events first, then its swaps in canonical order. Late
 * arrivals are returned apart, for late.ts to settle. Pure; the pool's state is changed in place.
 */
import type { PoolEvent } from '../../domain/events/pool-event.ts'
import { type SwapRow, swapOfRow } from '../../domain/events/stored-row.ts'
import { compareChainPositions, compareSwaps, type Swap } from '../../domain/events/swap.ts'
import { MinuteFold, mergeCandles } from '../../domain/market/candle/candle.ts'
import { TraderFold } from '../../domain/market/candle/traders.ts'
import { isDollarMint } from '../../domain/quote-mint.ts'
import { FOUR_HOURS_MS, QUARTER_MS } from '../../domain/time/time-bucket.ts'
import { DollarFold, foldCandles, type PoolCandles } from './candle.ts'
import { isMeasuredByPriceBefore } from './impact/impact.ts'
import type { LateArrivals } from './impact/late.ts'
import { applyPoolEvent, applySwap } from './pool.ts'
import { type AcceptedSwap, emptyPool, type PoolState } from './pool-state.ts'

/** A swap and the bytes that it came as. */
type SwapArrival = { swap: Swap; bytes: Uint8Array }

/** New events of a batch in one pool, in any order. */
export type PoolArrivals = { state: PoolState; swaps: SwapArrival[]; poolEvents: PoolEvent[] }

type PoolFold = {
  /** In canonical order. */
  swaps: { accepted: AcceptedSwap; bytes: Uint8Array }[]
  /** Whether the impacts of the pool's stored swaps must be recomputed. */
  needsRepair: boolean
  /** Late arrivals that may change the impact of a stored swap; its neighbours are still to be loaded. */
  late: LateArrivals | undefined
  candles: PoolCandles
}

export function foldPool({ state, swaps, poolEvents }: PoolArrivals): PoolFold {
  const lateLiquidity: PoolEvent[] = []
  let needsRepair = false
  for (const event of poolEvents.toSorted(compareChainPositions)) {
    const effect = applyPoolEvent(state, event)
    if (effect === 'late liquidity change') lateLiquidity.push(event)
    else if (effect === 'migration changed') needsRepair = true
    else effect satisfies 'recorded'
  }
  const newestBeforeMs = state.newestMs
  const folded = swaps
    .toSorted((a, b) => compareSwaps(a.swap, b.swap))
    .map(({ swap, bytes }) => ({ accepted: applySwap(state, swap), bytes }))
  const lateSwaps = folded.flatMap(({ accepted }) => (accepted.isLate ? [accepted] : []))
  return {
    swaps: folded,
    needsRepair,
    late: lateArrivals(state, lateSwaps, lateLiquidity),
    candles: foldCandles(
      state,
      newestBeforeMs,
      folded.map(({ accepted }) => accepted),
    ),
  }
}

/** Only where a trade is measured by the price before it does one depend on its neighbours. */
function lateArrivals(
  state: PoolState,
  swaps: AcceptedSwap[],
  liquidity: PoolEvent[],
): LateArrivals | undefined {
  if (swaps.length === 0 && liquidity.length === 0) return undefined
  const venues = [state.last, ...swaps.map(({ swap }) => swap), ...liquidity]
  const isMeasured = venues.some((each) => each !== undefined && isMeasuredByPriceBefore(each.dex))
  return isMeasured ? { state, swaps, liquidity, neighbours: [] } : undefined
}

/** Stored swaps of a pool, folded from an empty one in canonical order. */
export class StoredFold {
  readonly state: PoolState
  readonly #minutes = new MinuteFold()
  readonly #dollars = new DollarFold()
  readonly #traders = new TraderFold()

  constructor(poolId: number, pairAddress: string, tokenAddress: string) {
    this.state = emptyPool(poolId, pairAddress, tokenAddress)
  }

  /** Rows that follow those before; of a slot all or none. */
  add(rows: readonly SwapRow[]): void {
    for (const swap of rows.map(swapOfRow).sort(compareSwaps)) {
      const accepted = applySwap(this.state, swap)
      this.#minutes.add(accepted)
      this.#traders.add(swap.user, swap.timestamp)
      if (isDollarMint(this.state.tokenAddress)) this.#dollars.add(accepted)
    }
  }

  /** All swaps of the pool were added: candles of all widths, with their traders. */
  allCandles(): PoolCandles {
    const { minutes, ...candles } = this.minuteCandles()
    const quarters = mergeCandles(minutes, QUARTER_MS, 0)
    const all = { ...candles, minutes, quarters, fours: mergeCandles(quarters, FOUR_HOURS_MS, 0) }
    this.#traders.countIn(all)
    return all
  }

  /** Candles of minutes; wider ones are not merged, and no traders are counted. */
  minuteCandles(): PoolCandles {
    return {
      state: this.state,
      minutes: this.#minutes.sorted(),
      quarters: [],
      fours: [],
      isLastPriceUnsure: false,
      dollars: this.#dollars.sorted(),
    }
  }
}
