/**
 * The leaderboard by the naive model: scans every wallet's swaps for each request, by the rules of
 * docs/semantics.md#leaderboard. Shares only types with the product.
 */
import type { Swap } from '../../../domain/events/swap.ts'
import { newestOf } from '../newest.ts'
import { hoursOf, type ModelHour } from './ledger-model.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

type ModelRank = {
  rank: number
  wallet: string
  realized: bigint
  win_rate: number
  covered_sell_count: number
  trade_count: number
}

type ModelRequested = {
  days: number
  mode: 'raw' | 'strict' | 'adjusted'
  isHonest: boolean
}

export function ranksOf(
  swaps: readonly Swap[],
  { days, mode, isHonest }: ModelRequested,
): ModelRank[] {
  const newestMs = newestOf(swaps)
  const [firstMs, endMs] = [firstOf(newestMs, days), firstOf(newestMs, 0) + HOUR_MS]
  const wallets = [...Map.groupBy(swaps, (swap) => swap.user)]
  return wallets
    .filter(([, own]) => own.some(({ timestamp }) => timestamp >= firstMs && timestamp < endMs))
    .filter(([, own]) => !isHonest || !isArbitrageur(own, newestMs))
    .map(([wallet, own]) => ({ wallet, ...sumOf(hoursBetween(own, firstMs, endMs), mode) }))
    .sort(byRealized)
    .map((each, index) => ({ rank: index + 1, ...each }))
}

function firstOf(newestMs: number, days: number): number {
  const at = newestMs - days * DAY_MS
  return at - (((at % HOUR_MS) + HOUR_MS) % HOUR_MS)
}

function hoursBetween(own: readonly Swap[], firstMs: number, endMs: number): ModelHour[] {
  return [...hoursOf(own)]
    .map(([hour, figures]) => ({ hourMs: Date.parse(`${hour}:00:00Z`), figures }))
    .filter(({ hourMs }) => hourMs >= firstMs && hourMs < endMs)
    .map(({ figures }) => figures)
}

function sumOf(hours: readonly ModelHour[], mode: ModelRequested['mode']) {
  const sum = (of: (hour: ModelHour) => number): number =>
    hours.reduce((total, hour) => total + of(hour), 0)
  const covered = sum((hour) => hour.coveredSellCount)
  return {
    realized: hours.reduce((total, hour) => total + hour.realized[mode], 0n),
    win_rate: covered === 0 ? 0 : sum((hour) => hour.winCount) / covered,
    covered_sell_count: covered,
    trade_count: sum((hour) => hour.buyCount + hour.sellCount),
  }
}

function byRealized(a: Omit<ModelRank, 'rank'>, b: Omit<ModelRank, 'rank'>): number {
  if (a.realized !== b.realized) return a.realized > b.realized ? -1 : 1
  return Buffer.compare(Buffer.from(a.wallet), Buffer.from(b.wallet))
}

/** By the wallet's transactions of the 30 days that end with newest's hour. */
function isArbitrageur(own: readonly Swap[], newestMs: number): boolean {
  const recent = own.filter(
    ({ timestamp }) =>
      timestamp >= firstOf(newestMs, 30) && timestamp < firstOf(newestMs, 0) + HOUR_MS,
  )
  const transactions = [...Map.groupBy(recent, (swap) => `${swap.slot} ${swap.signature}`).values()]
  const arbitrages = transactions.filter((transaction) =>
    transaction.some((buy) =>
      transaction.some(
        (sell) => buy.isBuy && !sell.isBuy && buy.tokenAddress === sell.tokenAddress,
      ),
    ),
  )
  return arbitrages.length >= 3 && 2 * arbitrages.length >= transactions.length
}
