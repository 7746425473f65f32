/**
 * One wallet's position in one mint and how a swap moves it, under three PnL modes at once: pure,
 * synchronous, exact (docs/semantics.md#ledger).
 *
 * Law: the state is the fold of the position's swaps in canonical order. A swap that is not newer than the last must
 * not be folded here: the position is recomputed from a snapshot. State is changed in place, because a failed batch
 * drops all memory.
 */
import { compareSwaps, type Swap, type SwapOrderKey } from '../events/swap.ts'
import { DAY_MINUTES, MINUTE_MS } from '../time/time-bucket.ts'
import { type HourFigures, Hours, SEGMENT_SWAPS } from './hours.ts'
import { LotQueue, type LotSlice } from './lots.ts'

/** Fields of a swap that the ledger reads. */
export type LedgerSwap = SwapOrderKey &
  Pick<Swap, 'timestamp' | 'quoteDecimals' | 'transferFeeIn' | 'transferFeeOut'>

/** Sides of a transaction that were seen; both make it an arbitrage. */
const BOUGHT = 1
const SOLD = 2

export type PositionState = {
  /** Order key of the canonically newest swap: mostly that swap itself. That of a stored row is the end of its slot. */
  last: SwapOrderKey | undefined
  swapCount: number
  /** Decimals of the position's newest swap; readers of positions use those of the mint's newest. */
  decimals: number
  balance: bigint
  /** Weighted average's; the strict one is `lots.cost`. */
  basis: bigint
  realizedStrict: bigint
  realizedAdjusted: bigint
  /** Whole legs; raw realized is sells less buys. */
  buysLamports: bigint
  sellsLamports: bigint
  buyCount: number
  sellCount: number
  coveredSellCount: number
  winCount: number
  /** Uncovered sells: quantity beyond the balance, and its proceeds, which have no cost basis. */
  uncoveredQuantity: bigint
  uncoveredLamports: bigint
  largestBuyLamports: bigint
  largestSellLamports: bigint
  fastestFlipMs: number | undefined
  longestHoldMs: number | undefined
  /** Time of the canonically newest buy that brought anything. */
  newestBuyMs: number | undefined
  firstTradeMs: number
  lastTradeMs: number
  transactionCount: number
  arbitrageCount: number
  /** Sides seen in the newest swap's transaction, as far as it was folded. */
  lastSides: number
  /** The same by signature, once the newest swap's slot has more than one transaction. */
  slotTransactions: Map<string, number> | undefined
  /**
   * When the wallet became a holder and ceased to be one: minutes since 1970, negative where it ceased.
   * Only those of the last day, since no ranking looks further back; both in one minute cancel out.
   */
  heldChanges: number[]
  lots: LotQueue
  /** Increments since the last flush, which clears them. */
  hours: Hours
}

export function emptyPosition(): PositionState {
  return {
    last: undefined,
    swapCount: 0,
    decimals: 0,
    balance: 0n,
    basis: 0n,
    realizedStrict: 0n,
    realizedAdjusted: 0n,
    buysLamports: 0n,
    sellsLamports: 0n,
    buyCount: 0,
    sellCount: 0,
    coveredSellCount: 0,
    winCount: 0,
    uncoveredQuantity: 0n,
    uncoveredLamports: 0n,
    largestBuyLamports: 0n,
    largestSellLamports: 0n,
    fastestFlipMs: undefined,
    longestHoldMs: undefined,
    newestBuyMs: undefined,
    firstTradeMs: 0,
    lastTradeMs: 0,
    transactionCount: 0,
    arbitrageCount: 0,
    lastSides: 0,
    slotTransactions: undefined,
    heldChanges: [],
    lots: new LotQueue(),
    hours: new Hours(),
  }
}

/** Whether a swap may be applied: newer than all before it. */
export function isNewer(state: PositionState, swap: SwapOrderKey): boolean {
  return state.last === undefined || compareSwaps(swap, state.last) > 0
}

/** The tokens that a buy adds to the wallet: 0 or less where the mint withholds as much as the leg. */
export function arrivedQuantity(swap: LedgerSwap): bigint {
  return BigInt(swap.tokenAmount) - BigInt(swap.transferFeeOut)
}

/** The tokens that a sell removes from the wallet: the quantity of lots that it may consume. */
export function soldQuantity(swap: LedgerSwap): bigint {
  return BigInt(swap.tokenAmount) + BigInt(swap.transferFeeIn)
}

/**
 * Folds a swap that is newer than `state.last`; the sealed chunks that its sell may consume must be in memory. The
 * state retains the swap object, which must not change afterwards. `slices` receives the lots that a sell consumed.
 */
export function applyToPosition(state: PositionState, swap: LedgerSwap, slices?: LotSlice[]): void {
  if (!isNewer(state, swap)) throw new Error(`swap "${swap.signature}" is not newer than the last`)
  const figures = state.hours.of(swap.timestamp, Math.floor(state.swapCount / SEGMENT_SWAPS))
  countTransaction(state, figures, swap)
  const wasHeld = state.balance > 0n
  if (swap.isBuy) applyBuy(state, figures, swap)
  else applySell(state, figures, swap, slices)
  if (state.balance > 0n !== wasHeld) noteHeldChange(state, swap.timestamp, wasHeld)
  if (state.swapCount === 0) state.firstTradeMs = swap.timestamp
  state.lastTradeMs = swap.timestamp
  state.decimals = swap.quoteDecimals
  state.swapCount += 1
  state.last = swap
}

function noteHeldChange(state: PositionState, timestamp: number, wasHeld: boolean): void {
  const minute = Math.floor(timestamp / MINUTE_MS)
  const change = wasHeld ? -minute : minute
  const opposite = state.heldChanges.lastIndexOf(-change)
  if (opposite >= 0) state.heldChanges.splice(opposite, 1)
  else {
    const retained = state.heldChanges.filter((each) => Math.abs(each) >= minute - DAY_MINUTES)
    state.heldChanges = [...retained, change]
  }
}

function applyBuy(state: PositionState, figures: HourFigures, swap: LedgerSwap): void {
  const cost = BigInt(swap.solAmount)
  const arrived = arrivedQuantity(swap)
  if (arrived > 0n) {
    state.lots.push({ quantity: arrived, cost, timestamp: swap.timestamp })
    state.balance += arrived
    state.basis += cost
    state.newestBuyMs = swap.timestamp
  }
  state.buyCount += 1
  state.buysLamports += cost
  if (cost > state.largestBuyLamports) state.largestBuyLamports = cost
  figures.buyCount += 1
  figures.realizedRaw -= cost
  figures.volumeLamports += cost
}

function applySell(
  state: PositionState,
  figures: HourFigures,
  swap: LedgerSwap,
  slices: LotSlice[] | undefined,
): void {
  const proceeds = BigInt(swap.solAmount)
  const quantity = soldQuantity(swap)
  const isCovered = quantity <= state.balance
  const covered = isCovered ? quantity : state.balance
  const coveredProceeds = isCovered ? proceeds : (proceeds * covered) / quantity
  state.sellCount += 1
  state.sellsLamports += proceeds
  if (proceeds > state.largestSellLamports) state.largestSellLamports = proceeds
  figures.sellCount += 1
  figures.realizedRaw += proceeds
  figures.volumeLamports += proceeds
  if (!isCovered) {
    state.uncoveredQuantity += quantity - covered
    state.uncoveredLamports += proceeds - coveredProceeds
  }
  if (covered > 0n) realize(state, figures, swap, { covered, coveredProceeds }, slices)
}

/** The part of a sell that lots cover; covered > 0. */
function realize(
  state: PositionState,
  figures: HourFigures,
  swap: LedgerSwap,
  { covered, coveredProceeds }: { covered: bigint; coveredProceeds: bigint },
  slices: LotSlice[] | undefined,
): void {
  const strict = coveredProceeds - state.lots.consume(covered, slices)
  const out = covered === state.balance ? state.basis : (state.basis * covered) / state.balance
  const adjusted = coveredProceeds - out
  state.balance -= covered
  state.basis -= out
  state.realizedStrict += strict
  state.realizedAdjusted += adjusted
  state.coveredSellCount += 1
  figures.realizedStrict += strict
  figures.realizedAdjusted += adjusted
  figures.coveredSellCount += 1
  if (adjusted > 0n) {
    state.winCount += 1
    figures.winCount += 1
  }
  judge(figures, swap, adjusted)
  const flipMs = Math.max(0, swap.timestamp - (state.newestBuyMs ?? swap.timestamp))
  if (flipMs < (state.fastestFlipMs ?? Number.POSITIVE_INFINITY)) state.fastestFlipMs = flipMs
  const holdMs = Math.max(0, swap.timestamp - state.lots.oldestConsumedMs)
  if (holdMs > (state.longestHoldMs ?? -1)) state.longestHoldMs = holdMs
}

/** Swaps come in canonical order, so an equal one is later and does not displace. */
function judge(figures: HourFigures, swap: LedgerSwap, realizedLamports: bigint): void {
  const { best, worst } = figures
  const isBest = best === undefined || realizedLamports > best.realizedLamports
  const isWorst = worst === undefined || realizedLamports < worst.realizedLamports
  if (!isBest && !isWorst) return
  const judged = { realizedLamports, orderKey: swap }
  if (isBest) figures.best = judged
  if (isWorst) figures.worst = judged
}

/**
 * A transaction lies in one slot, but where indexes were not recorded its swaps need not be adjacent: so all signatures
 * of the newest slot are remembered.
 */
function countTransaction(state: PositionState, figures: HourFigures, swap: LedgerSwap): void {
  const before = sidesBefore(state, swap)
  const after = before | (swap.isBuy ? BOUGHT : SOLD)
  state.lastSides = after
  state.slotTransactions?.set(swap.signature, after)
  if (after === before) return
  if (before === 0) {
    state.transactionCount += 1
    figures.transactionCount += 1
  } else {
    state.arbitrageCount += 1
    figures.arbitrageCount += 1
  }
}

/** Sides of the swap's transaction that were seen; the slot's map is begun when there is a second one. */
function sidesBefore(state: PositionState, swap: LedgerSwap): number {
  const { last } = state
  if (last === undefined) return 0
  if (last.slot !== swap.slot) {
    state.slotTransactions = undefined
    return 0
  }
  if (last.signature === swap.signature) return state.lastSides
  state.slotTransactions ??= new Map([[last.signature, state.lastSides]])
  return state.slotTransactions.get(swap.signature) ?? 0
}
