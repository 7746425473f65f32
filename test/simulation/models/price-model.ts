/** Prices now, the naive way, only from docs/semantics.md#prices-now: all swaps at once, no state. */
import type { Swap } from '../../../domain/events/swap.ts'
import { canonically } from '../model.ts'
import { minutesOf, newestOf } from '../newest.ts'
import { naivePrice } from './candle-model.ts'

const MINUTE = 60_000
const DOLLARS = [
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
]

const minuteOf = (ms: number): number => ms - (ms % MINUTE)

/** The top pool of a token and its last price; undefined where no pool ever had a priced trade. */
export function naiveTokenPrice(swaps: readonly Swap[], mint: string, nowMs?: number) {
  const { start, end } = minutesOf(newestOf(swaps, nowMs), 1_440)
  const own = swaps.filter(({ tokenAddress }) => tokenAddress === mint)
  const pools = [...Map.groupBy(own, ({ pairAddress }) => pairAddress)].flatMap(([pair, all]) => {
    const ordered = all.toSorted(canonically)
    const last = ordered.filter((swap) => naivePrice(swap) !== null).at(-1)
    if (last === undefined) return []
    const day = all.filter(({ timestamp }) => timestamp >= start && timestamp < end)
    const volume = day.reduce((sum, { solAmount }) => sum + BigInt(solAmount), 0n)
    return [{ pair, last, volume, trades: day.length, newest: ordered.at(-1)! }]
  })
  const isLive = pools.some(({ trades }) => trades > 0)
  const [top] = pools.sort((a, b) => {
    if (!isLive) return canonically(b.newest, a.newest)
    if (a.volume !== b.volume) return a.volume > b.volume ? -1 : 1
    return b.trades - a.trades || (a.pair < b.pair ? -1 : 1)
  })
  if (top === undefined) return undefined
  const { pair, last } = top
  return { mint, pair, price: naivePrice(last)!, price_ms: last.timestamp }
}

/** The decimals of a mint, those of its newest swap; undefined before the first. */
export function naiveDecimals(swaps: readonly Swap[], mint: string): number | undefined {
  const own = swaps.filter(({ tokenAddress }) => tokenAddress === mint)
  return own.toSorted(canonically).at(-1)?.quoteDecimals
}

/**
 * The median rate of the newest 15 minutes in which priced trades of a dollar moved 1 SOL; of the newest 15 with any,
 * while fewer than 3 have so much. Minutes later than newest do not count.
 */
export function naiveSolUsd(swaps: readonly Swap[], nowMs?: number): number | null {
  const priced = swaps.filter(
    (swap) => DOLLARS.includes(swap.tokenAddress) && naivePrice(swap) !== null,
  )
  const end = minuteOf(newestOf(swaps, nowMs))
  const minutes = [...Map.groupBy(priced, ({ timestamp }) => minuteOf(timestamp))]
    .filter(([minute]) => minute <= end)
    .sort(([a], [b]) => b - a)
    .map(([, own]) => ({
      sol: own.reduce((sum, { solAmount }) => sum + Number(solAmount) / 1e9, 0),
      tokens: own.reduce(
        (sum, swap) => sum + Number(swap.tokenAmount) / 10 ** swap.quoteDecimals,
        0,
      ),
    }))
  const large = minutes.filter(({ sol }) => sol >= 1)
  const counted = (large.length < 3 ? minutes : large).slice(0, 15)
  const rates = counted.map(({ sol, tokens }) => tokens / sol).sort((a, b) => a - b)
  return rates[Math.ceil(rates.length / 2) - 1] ?? null
}
