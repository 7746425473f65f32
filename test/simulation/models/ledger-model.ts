/**
 * A second, naive model of the ledger, written only from docs/semantics.md#ledger: slow, plain, whole. It sees all swaps
 * of a wallet at once and scans them for every request. Shares types and the model's canonical order with its neighbours,
 * and no code with the product.
 */
import type { Swap } from '../../../domain/events/swap.ts'
import { canonically } from '../model.ts'

export type ModelSell = {
  swap: Swap
  qty: bigint
  covered: bigint
  coveredProceeds: bigint
  strict: bigint
  adjusted: bigint
  /** Quantities consumed of buys. */
  consumed: { buy: Swap; qty: bigint; cost: bigint }[]
}

export type ModelPosition = {
  balance: bigint
  basis: bigint
  lots: { buy: Swap; qty: bigint; cost: bigint }[]
  realized: { strict: bigint; adjusted: bigint; raw: bigint }
  bought: bigint
  sold: bigint
  buyCount: number
  sellCount: number
  coveredSellCount: number
  winCount: number
  uncoveredQty: bigint
  uncoveredSol: bigint
  largestBuy: bigint
  largestSell: bigint
  fastestFlipMs: number | null
  longestHoldMs: number | null
  firstTradeMs: number
  lastTradeMs: number
  decimals: number
  transactions: number
  arbitrageTransactions: number
  sells: ModelSell[]
}

export type ModelHour = {
  realized: { strict: bigint; adjusted: bigint; raw: bigint }
  volume: bigint
  buyCount: number
  sellCount: number
  coveredSellCount: number
  winCount: number
  best: ModelSell | null
  worst: ModelSell | null
}

/** By mint. */
export function positionsOf(walletSwaps: readonly Swap[]): Map<string, ModelPosition> {
  const byMint = Map.groupBy(walletSwaps, (swap) => swap.tokenAddress)
  return new Map([...byMint].map(([mint, swaps]) => [mint, positionOf(swaps)]))
}

function positionOf(unordered: readonly Swap[]): ModelPosition {
  const swaps = unordered.toSorted(canonically)
  const buys = swaps.filter((swap) => swap.isBuy)
  const allSells = swaps.filter((swap) => !swap.isBuy)
  const { lots, basis, sells } = play(swaps)
  const covered = sells.filter((sell) => sell.covered > 0n)
  const bought = sum(buys.map((swap) => BigInt(swap.solAmount)))
  const sold = sum(allSells.map((swap) => BigInt(swap.solAmount)))
  // A transaction is of one slot: where decoders disagree about the slot of a signature, each slot has one.
  const transactions = [...Map.groupBy(swaps, (swap) => `${swap.slot} ${swap.signature}`).values()]
  return {
    balance: sum(lots.map((lot) => lot.qty)),
    basis,
    lots,
    realized: {
      strict: sum(sells.map((sell) => sell.strict)),
      adjusted: sum(sells.map((sell) => sell.adjusted)),
      raw: sold - bought,
    },
    bought,
    sold,
    buyCount: buys.length,
    sellCount: allSells.length,
    coveredSellCount: covered.length,
    winCount: covered.filter((sell) => sell.adjusted > 0n).length,
    uncoveredQty: sum(sells.map((sell) => sell.qty - sell.covered)),
    uncoveredSol: sum(sells.map((sell) => BigInt(sell.swap.solAmount) - sell.coveredProceeds)),
    largestBuy: largest(buys.map((swap) => BigInt(swap.solAmount))),
    largestSell: largest(allSells.map((swap) => BigInt(swap.solAmount))),
    ...times(swaps, covered),
    firstTradeMs: swaps[0]!.timestamp,
    lastTradeMs: swaps.at(-1)!.timestamp,
    decimals: swaps.at(-1)!.quoteDecimals,
    transactions: transactions.length,
    arbitrageTransactions: transactions.filter(
      (own) => own.some((swap) => swap.isBuy) && own.some((swap) => !swap.isBuy),
    ).length,
    sells,
  }
}

function times(
  swaps: readonly Swap[],
  covered: readonly ModelSell[],
): { fastestFlipMs: number | null; longestHoldMs: number | null } {
  if (covered.length === 0) return { fastestFlipMs: null, longestHoldMs: null }
  const flips = covered.map(({ swap }) => {
    const earlier = swaps.slice(0, swaps.indexOf(swap))
    const newest = earlier.findLast((each) => each.isBuy && arrivalOf(each) > 0n)!
    return Math.max(0, swap.timestamp - newest.timestamp)
  })
  const holds = covered.flatMap(({ swap, consumed }) =>
    consumed.map(({ buy }) => Math.max(0, swap.timestamp - buy.timestamp)),
  )
  return {
    fastestFlipMs: flips.reduce((a, b) => Math.min(a, b)),
    longestHoldMs: holds.reduce((a, b) => Math.max(a, b)),
  }
}

function arrivalOf(buy: Swap): bigint {
  const arrived = BigInt(buy.tokenAmount) - BigInt(buy.transferFeeOut)
  return arrived > 0n ? arrived : 0n
}

/** The swaps in canonical order, one after the other. */
function play(swaps: readonly Swap[]) {
  let lots: ModelPosition['lots'] = []
  let basis = 0n
  const sells: ModelSell[] = []
  for (const swap of swaps) {
    const sol = BigInt(swap.solAmount)
    if (swap.isBuy) {
      const qty = arrivalOf(swap)
      if (qty > 0n) {
        lots = [...lots, { buy: swap, qty, cost: sol }]
        basis += sol
      }
      continue
    }
    const balance = sum(lots.map((lot) => lot.qty))
    const qty = BigInt(swap.tokenAmount) + BigInt(swap.transferFeeIn)
    const covered = qty < balance ? qty : balance
    const coveredProceeds = covered === qty ? sol : (sol * covered) / qty
    const { consumed, rest } = consume(lots, covered)
    const out = covered === balance ? basis : (basis * covered) / balance
    lots = rest
    basis -= out
    const strict = coveredProceeds - sum(consumed.map(({ cost }) => cost))
    sells.push({
      swap,
      qty,
      covered,
      coveredProceeds,
      strict,
      adjusted: coveredProceeds - out,
      consumed,
    })
  }
  return { lots, basis, sells }
}

function consume(lots: ModelPosition['lots'], qty: bigint) {
  const consumed: ModelPosition['lots'] = []
  const rest: ModelPosition['lots'] = []
  for (const lot of lots) {
    const left = qty - sum(consumed.map((each) => each.qty))
    if (left === 0n) rest.push(lot)
    else if (left >= lot.qty) consumed.push(lot)
    else {
      const cost = (lot.cost * left) / lot.qty
      consumed.push({ buy: lot.buy, qty: left, cost })
      rest.push({ buy: lot.buy, qty: lot.qty - left, cost: lot.cost - cost })
    }
  }
  return { consumed, rest }
}

/** The wallet's figures by UTC hour (`2026-08-01T13`), all mints together. */
export function hoursOf(walletSwaps: readonly Swap[]): Map<string, ModelHour> {
  const sells = [...positionsOf(walletSwaps).values()].flatMap((position) => position.sells)
  const byHour = Map.groupBy(walletSwaps, hourOf)
  return new Map(
    [...byHour].map(([hour, swaps]) => [
      hour,
      hourFigures(
        swaps,
        sells.filter((sell) => hourOf(sell.swap) === hour),
      ),
    ]),
  )
}

export function hourOf({ timestamp }: Pick<Swap, 'timestamp'>): string {
  return new Date(timestamp).toISOString().slice(0, 13)
}

function hourFigures(swaps: readonly Swap[], sells: readonly ModelSell[]): ModelHour {
  const covered = sells
    .filter((sell) => sell.covered > 0n)
    .toSorted((a, b) => canonically(a.swap, b.swap))
  const amounts = (isBuy: boolean): bigint =>
    sum(swaps.filter((swap) => swap.isBuy === isBuy).map((swap) => BigInt(swap.solAmount)))
  const profits = covered.map((sell) => sell.adjusted)
  return {
    realized: {
      strict: sum(covered.map((sell) => sell.strict)),
      adjusted: sum(profits),
      raw: amounts(false) - amounts(true),
    },
    volume: amounts(true) + amounts(false),
    buyCount: swaps.filter((swap) => swap.isBuy).length,
    sellCount: sells.length,
    coveredSellCount: covered.length,
    winCount: covered.filter((sell) => sell.adjusted > 0n).length,
    best: covered.find((sell) => profits.every((other) => other <= sell.adjusted)) ?? null,
    worst: covered.find((sell) => profits.every((other) => other >= sell.adjusted)) ?? null,
  }
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((a, b) => a + b, 0n)
}

function largest(values: readonly bigint[]): bigint {
  let most = 0n
  for (const value of values) if (value > most) most = value
  return most
}
