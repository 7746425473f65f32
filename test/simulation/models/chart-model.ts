/**
 * A wallet's chart the naive way, only from docs/semantics.md#daily-portfolio-value: every day filters all swaps. Volumes,
 * balances and closes are computed from the swaps themselves, no candle is stored.
 */
import type { Swap } from '../../../domain/events/swap.ts'
import { canonically } from '../model.ts'
import { naiveMinutes } from './candle-model.ts'
import { naiveDecimals } from './price-model.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

const dayOf = (ms: number): number => ms - (ms % DAY_MS)
const minuteOf = (ms: number): number => Math.floor(ms / MINUTE_MS)

/** Value in SOL of the wallet's holdings at the end of the day that begins with `dayMs`. */
export function naiveDayValue(swaps: readonly Swap[], wallet: string, dayMs: number): number {
  const known = swaps.filter(({ timestamp }) => timestamp < dayMs + DAY_MS)
  const own = known.filter(({ user }) => user === wallet)
  const mints = new Set(own.map(({ tokenAddress }) => tokenAddress))
  let value = 0
  for (const mint of mints) {
    const ofMint = (swap: Swap): boolean => swap.tokenAddress === mint
    // For any day.
    const decimals = naiveDecimals(swaps, mint)!
    const quantity = Number(naiveBalance(own.filter(ofMint))) / 10 ** decimals
    value += quantity * naiveClose(known.filter(ofMint), dayMs)
  }
  return value
}

/** Held after these swaps of one wallet and mint. */
function naiveBalance(swaps: readonly Swap[]): bigint {
  const ordered = swaps.toSorted(
    (a, b) => dayOf(a.timestamp) - dayOf(b.timestamp) || canonically(a, b),
  )
  let balance = 0n
  for (const swap of ordered) {
    const arrived = BigInt(swap.tokenAmount) - BigInt(swap.transferFeeOut)
    const left = BigInt(swap.tokenAmount) + BigInt(swap.transferFeeIn)
    if (swap.isBuy) balance += arrived > 0n ? arrived : 0n
    else balance = balance > left ? balance - left : 0n
  }
  return balance
}

/** SOL per whole token at the day's end, by all swaps of the mint before it; 0 before any price. */
function naiveClose(swaps: readonly Swap[], dayMs: number): number {
  const pools = [...Map.groupBy(swaps, ({ pairAddress }) => pairAddress)].flatMap(([pair, all]) => {
    const close = naiveMinutes(all).findLast((minute) => minute.close !== null)?.close
    if (close === undefined || close === null) return []
    const today = all.filter(({ timestamp }) => timestamp >= dayMs)
    const volume = today.reduce((sum, { solAmount }) => sum + BigInt(solAmount), 0n)
    const minute = Math.max(...all.map(({ timestamp }) => minuteOf(timestamp)))
    const ended = all.filter(({ timestamp }) => minuteOf(timestamp) === minute)
    const newest = ended.toSorted(canonically).at(-1)!
    return [{ pair, close, volume, trades: today.length, minute, newest }]
  })
  const byAddress = (a: { pair: string }, b: { pair: string }): number => (a.pair < b.pair ? -1 : 1)
  const trading = pools.filter(({ trades }) => trades > 0)
  trading.sort((a, b) => Number(b.volume - a.volume) || b.trades - a.trades || byAddress(a, b))
  const latest = pools.toSorted((a, b) => b.minute - a.minute || canonically(b.newest, a.newest))
  return trading[0]?.close ?? latest[0]?.close ?? 0
}
