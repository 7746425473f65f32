/** Prices now, the naive way, from the semantics alone (section 3): all swaps at once, nothing kept. */
import type { Swap } from '../../streams/swap.ts'
import { naivePrice } from './candle-model.ts'
import { canonically } from './model.ts'

const MINUTE = 60_000
const DOLLARS = [
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
]

const minuteOf = (ms: number): number => ms - (ms % MINUTE)
const newestOf = (swaps: readonly Swap[]): number =>
  Math.max(...swaps.map(({ timestamp }) => timestamp))

/** The top pool of a token and its last price; undefined where no pool ever had a priced trade. */
export function naiveTokenPrice(swaps: readonly Swap[], mint: string) {
  const end = minuteOf(newestOf(swaps))
  const own = swaps.filter(({ tokenAddress }) => tokenAddress === mint)
  const pools = [...Map.groupBy(own, ({ pairAddress }) => pairAddress)].flatMap(([pair, all]) => {
    const ordered = all.toSorted(canonically)
    const last = ordered.filter((swap) => naivePrice(swap) !== null).at(-1)
    if (last === undefined) return []
    const day = all.filter(({ timestamp }) => minuteOf(timestamp) > end - 1_440 * MINUTE)
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

/** What a mint is counted by: as its newest swap says; undefined before the first. */
export function naiveDecimals(swaps: readonly Swap[], mint: string): number | undefined {
  const own = swaps.filter(({ tokenAddress }) => tokenAddress === mint)
  return own.toSorted(canonically).at(-1)?.quoteDecimals
}

/** Sum of tokens over sum of SOL of the newest five minutes with a priced trade of a dollar. */
export function naiveSolUsd(swaps: readonly Swap[]): number | null {
  const priced = swaps.filter(
    (swap) => DOLLARS.includes(swap.tokenAddress) && naivePrice(swap) !== null,
  )
  const minutes = [...new Set(priced.map(({ timestamp }) => minuteOf(timestamp)))]
  const newest = new Set(minutes.sort((a, b) => b - a).slice(0, 5))
  const counted = priced.filter(({ timestamp }) => newest.has(minuteOf(timestamp)))
  if (counted.length === 0) return null
  const tokens = counted.reduce((sum, { tokenAmount }) => sum + Number(tokenAmount) / 1e6, 0)
  return tokens / counted.reduce((sum, { solAmount }) => sum + Number(solAmount) / 1e9, 0)
}
