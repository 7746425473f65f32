/**
 * Candles the naive way, only from docs/semantics.md#candles: every bucket filters all swaps of its pool. The judge of
 * the stored tables, of merged timeframes and of the routes' answers.
 */
import type { Swap } from '../../../domain/events/swap.ts'
import { canonically, type Model } from '../model.ts'
import { exactQuotient } from './exact.ts'

export type NaiveCandle = {
  bucketMs: number
  open: number | null
  high: number | null
  low: number | null
  close: number | null
  volume: bigint
  /** Token base units. */
  units: bigint
  trades: number
  buys: number
  traders: number
}

const MINUTE = 60_000
const DOLLARS = [
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
]

/** Executed SOL per whole token; null for dust and for trades of the agent. */
export function naivePrice(swap: Swap): number | null {
  if (swap.agentTrade === 2) return null
  const wholeToken = 10n ** BigInt(swap.quoteDecimals)
  const tokensMin = wholeToken < 10_000n ? wholeToken : 10_000n
  if (BigInt(swap.solAmount) < 10_000n || BigInt(swap.tokenAmount) < tokensMin) return null
  const perUnit = exactQuotient(BigInt(swap.solAmount), BigInt(swap.tokenAmount))
  return perUnit * Number(`1e${swap.quoteDecimals - 9}`)
}

const startOf = ({ timestamp }: Swap, widthMs: number): number => timestamp - (timestamp % widthMs)

const tradersOf = (swaps: readonly Swap[]): number => new Set(swaps.map(({ user }) => user)).size

export function naiveMinutes(swaps: readonly Swap[]): NaiveCandle[] {
  const minutes = new Set(swaps.map(({ timestamp }) => timestamp - (timestamp % MINUTE)))
  return [...minutes]
    .sort((a, b) => a - b)
    .map((bucketMs) => {
      const own = swaps.filter(({ timestamp }) => timestamp - (timestamp % MINUTE) === bucketMs)
      const prices = own.sort(canonically).flatMap((swap) => naivePrice(swap) ?? [])
      return {
        bucketMs,
        open: prices[0] ?? null,
        high: prices.length === 0 ? null : Math.max(...prices),
        low: prices.length === 0 ? null : Math.min(...prices),
        close: prices.at(-1) ?? null,
        volume: own.reduce((sum, swap) => sum + BigInt(swap.solAmount), 0n),
        units: own.reduce((sum, swap) => sum + BigInt(swap.tokenAmount), 0n),
        trades: own.length,
        buys: own.filter(({ isBuy }) => isBuy).length,
        traders: tradersOf(own),
      }
    })
}

/** Candles of one pool's swaps at any width: the merge of their minutes. */
export function naiveCandles(swaps: readonly Swap[], widthMs: number): NaiveCandle[] {
  const minutes = naiveMinutes(swaps)
  const buckets = new Set(minutes.map(({ bucketMs }) => bucketMs - (bucketMs % widthMs)))
  return [...buckets].map((bucketMs) => {
    const own = minutes.filter(
      (minute) => minute.bucketMs - (minute.bucketMs % widthMs) === bucketMs,
    )
    const priced = own.filter(({ open }) => open !== null)
    return {
      bucketMs,
      open: priced[0]?.open ?? null,
      high: priced.length === 0 ? null : Math.max(...priced.map(({ high }) => high!)),
      low: priced.length === 0 ? null : Math.min(...priced.map(({ low }) => low!)),
      close: priced.at(-1)?.close ?? null,
      volume: own.reduce((sum, { volume }) => sum + volume, 0n),
      units: own.reduce((sum, { units }) => sum + units, 0n),
      trades: own.reduce((sum, { trades }) => sum + trades, 0),
      buys: own.reduce((sum, { buys }) => sum + buys, 0),
      traders: tradersOf(swaps.filter((swap) => startOf(swap, widthMs) === bucketMs)),
    }
  })
}

/** Swaps by pair and mint. */
export function swapsByPool(swaps: Iterable<Swap>): Map<string, Swap[]> {
  return Map.groupBy(swaps, (swap) => `${swap.pairAddress} ${swap.tokenAddress}`)
}

/** Wallets whose first trade of a bucket of `wideMs` lies in the bucket of `widthMs`. */
function firstTraders(swaps: readonly Swap[], bucketMs: number, widthMs: number, wideMs: number) {
  const wide = swaps.filter((swap) => startOf(swap, wideMs) === bucketMs - (bucketMs % wideMs))
  const before = new Set(
    wide.filter(({ timestamp }) => timestamp < bucketMs).map(({ user }) => user),
  )
  return tradersOf(
    wide.filter((swap) => startOf(swap, widthMs) === bucketMs && !before.has(swap.user)),
  )
}

/** The width whose traders a table counts in addition to those of its own. */
const WIDE_MS = new Map([
  [MINUTE, 5 * MINUTE],
  [15 * MINUTE, 60 * MINUTE],
  [240 * MINUTE, 1_440 * MINUTE],
])

/** Rows of a candle table by pool and bucket. */
export function candleRows(model: Model, widthMs: number): Map<string, Record<string, unknown>> {
  const rows = new Map<string, Record<string, unknown>>()
  const swaps = [...model.swaps.values()].map(({ swap }) => swap)
  for (const [pool, own] of swapsByPool(swaps)) {
    for (const { bucketMs, ...row } of naiveCandles(own, widthMs)) {
      const wideTraders = firstTraders(own, bucketMs, widthMs, WIDE_MS.get(widthMs)!)
      rows.set(`${pool} ${bucketMs}`, { ...row, wideTraders })
    }
  }
  return rows
}

/** Minutes of each wallet in each pool and day. */
export function traderRows(model: Model): Map<string, Record<string, unknown>> {
  const rows = new Map<string, Set<number>>()
  for (const { swap } of model.swaps.values()) {
    const { timestamp, pairAddress, tokenAddress, user } = swap
    const intoDay = timestamp % 86_400_000
    const key = `${pairAddress} ${tokenAddress} ${user} ${(timestamp - intoDay) / 86_400_000}`
    rows.set(key, (rows.get(key) ?? new Set()).add(Math.floor(intoDay / MINUTE)))
  }
  return new Map(
    [...rows].map(([key, minutes]) => [
      key,
      { minutes: [...minutes].sort((a, b) => a - b).join() },
    ]),
  )
}

/** Priced trades of USDC and USDT by minute, pool and decimals. */
export function dollarRows(model: Model): Map<string, Record<string, unknown>> {
  const rows = new Map<string, { lamports: bigint; units: bigint }>()
  for (const { swap } of model.swaps.values()) {
    if (!DOLLARS.includes(swap.tokenAddress) || naivePrice(swap) === null) continue
    const minute = swap.timestamp - (swap.timestamp % MINUTE)
    const key = `${swap.pairAddress} ${swap.tokenAddress} ${minute} ${swap.quoteDecimals}`
    const row = rows.get(key) ?? { lamports: 0n, units: 0n }
    row.lamports += BigInt(swap.solAmount)
    row.units += BigInt(swap.tokenAmount)
    rows.set(key, row)
  }
  return rows
}

/** The prices in a pool's row. */
export function poolPrices(swaps: readonly Swap[]) {
  const priced = swaps.filter((swap) => naivePrice(swap) !== null).sort(canonically)
  const last = priced.at(-1)
  return {
    newestMs: swaps.length === 0 ? null : Math.max(...swaps.map(({ timestamp }) => timestamp)),
    lastPrice: last === undefined ? null : naivePrice(last),
    lastPriceMs: last?.timestamp ?? null,
  }
}
