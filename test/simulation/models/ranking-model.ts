/**
 * Rankings the naive way, only from docs/semantics.md#rankings: every window filters all swaps, and holders are
 * computed by the ledger's model from the swaps before it.
 */

import type { Swap } from '../../../domain/events/swap.ts'
import { canonically, comparePosition, type Model } from '../model.ts'
import { minutesOf, newestOf } from '../newest.ts'
import { naivePrice } from './candle-model.ts'
import { positionsOf } from './ledger-model.ts'

type NaiveTrend = {
  mint: string
  score: number
  volumeSol: number
  changePct: number | null
  isRugged: boolean
  sector: string | null
  parts: (number | null)[]
}

type NaiveMover = {
  mint: string
  protocols: string[]
  price_change_pct: number
  open_price: number
  close_price: number
  high: number
  low: number
  volume_sol: number
  trade_count: number
}

const MINUTE = 60_000

const solOf = (swaps: readonly Swap[]): number =>
  Number(swaps.reduce((sum, { solAmount }) => sum + BigInt(solAmount), 0n)) / 1e9

const clamp = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value))

const distinct = (swaps: readonly Swap[]): number => new Set(swaps.map(({ user }) => user)).size

/** Prices of the pool that counts: largest volume among those with a priced trade. */
function topPrices(swaps: readonly Swap[]): number[] {
  const pools = [...Map.groupBy(swaps, ({ pairAddress }) => pairAddress)].flatMap(([pair, own]) => {
    const priced = own.sort(canonically).flatMap((swap) => naivePrice(swap) ?? [])
    const volume = own.reduce((sum, { solAmount }) => sum + BigInt(solAmount), 0n)
    return priced.length === 0 ? [] : [{ pair, priced, volume, trades: own.length }]
  })
  pools.sort((a, b) => {
    if (a.volume !== b.volume) return a.volume > b.volume ? -1 : 1
    return b.trades - a.trades || (a.pair < b.pair ? -1 : 1)
  })
  return pools[0]?.priced ?? []
}

const changeOf = (prices: readonly number[]): number =>
  ((prices.at(-1)! - prices[0]!) / prices[0]!) * 100

/** All tokens with a trade in the window, in order. */
export function naiveTrending(model: Model, minutes: number, nowMs?: number): NaiveTrend[] {
  const swaps = [...model.swaps.values()].map(({ swap }) => swap)
  const { start, end } = minutesOf(newestOf(swaps, nowMs), minutes)
  const trends = [...Map.groupBy(swaps, ({ tokenAddress }) => tokenAddress)].flatMap(
    ([mint, own]): NaiveTrend[] => {
      const cur = own.filter(({ timestamp }) => timestamp >= start && timestamp < end)
      if (cur.length === 0) return []
      const prices = topPrices(cur)
      const parts = partsOf(model, mint, own, start, minutes)
      const weights = [0.9, 1.1, 0.6, 0.6, -1, 0.5, -1]
      return [
        {
          mint,
          parts,
          score: parts.reduce<number>((sum, part, n) => sum + weights[n]! * (part ?? 0), 0),
          volumeSol: solOf(cur),
          changePct: prices.length === 0 ? null : changeOf(prices),
          // A tenth, within the precision of doubles.
          isRugged: prices.length > 0 && prices.at(-1)! / prices[0]! <= 0.1 + 1e-16,
          sector: model.tokens.get(mint)?.sector ?? null,
        },
      ]
    },
  )
  return trends.sort((a, b) => b.score - a.score || (a.mint < b.mint ? -1 : 1))
}

/** vol_velocity, unique_buyers, vol_acceleration, buyer_acceleration, dev_sell, holder_growth, top10. */
function partsOf(
  model: Model,
  mint: string,
  own: readonly Swap[],
  start: number,
  minutes: number,
): (number | null)[] {
  const end = start + minutes * MINUTE
  const cur = own.filter(({ timestamp }) => timestamp >= start && timestamp < end)
  const prev = own.filter(
    ({ timestamp }) => timestamp < start && timestamp >= start - minutes * MINUTE,
  )
  const isNew = own.every(({ timestamp }) => timestamp >= start)
  const [volume, before] = [solOf(cur), solOf(prev)]
  const buyers = distinct(cur.filter(({ isBuy }) => isBuy))
  const buyersBefore = distinct(prev.filter(({ isBuy }) => isBuy))
  const creator = creatorOf(model, mint)
  const devSold = solOf(cur.filter(({ isBuy, user }) => !isBuy && user === creator))
  const held = balancesOf(own).sort((a, b) => (a > b ? -1 : 1))
  const atStart = balancesOf(own.filter(({ timestamp }) => timestamp < start)).length
  const sum = (some: readonly bigint[]) => Number(some.reduce((a, b) => a + b, 0n))
  return [
    Math.log(1 + volume / minutes),
    Math.log(1 + buyers),
    isNew ? 2.5 : clamp((volume - before) / Math.max(before, 1), -1, 5),
    isNew ? 2.5 : clamp((buyers - buyersBefore) / Math.max(buyersBefore, 1), -1, 5),
    Math.min(2, (4 * devSold) / Math.max(volume, 1)),
    held.length === 0 && atStart === 0
      ? null
      : clamp((held.length - atStart) / Math.max(atStart, 10), -1, 2),
    held.length === 0 ? null : 2 * Math.max(0, sum(held.slice(0, 10)) / sum(held) - 0.5),
  ]
}

/** Balances of wallets with a holding. */
function balancesOf(swaps: readonly Swap[]): bigint[] {
  return [...Map.groupBy(swaps, ({ user }) => user).values()].flatMap((own) =>
    [...positionsOf(own).values()].map(({ balance }) => balance).filter((balance) => balance > 0n),
  )
}

/** The token line's, else the creator of the pool of the mint's earliest event. */
function creatorOf(model: Model, mint: string): string | null {
  const said = model.tokens.get(mint)?.creator
  if (said !== null && said !== undefined) return said
  const created = [...model.poolEvents.values()]
    .filter((each) => each.event === 'created' && each.tokenAddress === mint)
    .sort(
      (a, b) =>
        comparePosition(a, b) ||
        a.dex - b.dex ||
        (a.signature < b.signature || (a.signature === b.signature && a.pairAddress < b.pairAddress)
          ? -1
          : 1),
    )
  const [swap] = [...model.swaps.values()]
    .map((each) => each.swap)
    .filter((each) => each.tokenAddress === mint)
    .sort(canonically)
  const [first] = created
  if (first === undefined) return null
  const isFirst = swap === undefined || comparePosition(first, swap) <= 0
  const { pairAddress } = isFirst ? first : swap
  return created.find((each) => each.pairAddress === pairAddress)?.creator ?? null
}

/** Both sides in order; `protocol`: of that venue's pools only. */
export function naiveMovers(model: Model, minutes: number, protocol?: string, nowMs?: number) {
  const swaps = [...model.swaps.values()].map(({ swap }) => swap)
  const { start, end } = minutesOf(newestOf(swaps, nowMs), minutes)
  const counted = swaps.filter(
    ({ timestamp, dex }) =>
      timestamp >= start &&
      timestamp < end &&
      (protocol === undefined || protocol === `venue_${dex}`),
  )
  const movers = [...Map.groupBy(counted, ({ tokenAddress }) => tokenAddress)].flatMap(
    ([mint, own]): NaiveMover[] => {
      const prices = topPrices(own)
      if (own.length < 2 || prices.length === 0 || changeOf(prices) === 0) return []
      const venues = [...new Set(own.map(({ dex }) => dex))].sort((a, b) => a - b)
      return [
        {
          mint,
          protocols: venues.map((dex) => `venue_${dex}`),
          price_change_pct: changeOf(prices),
          open_price: prices[0]!,
          close_price: prices.at(-1)!,
          high: Math.max(...prices),
          low: Math.min(...prices),
          volume_sol: solOf(own),
          trade_count: own.length,
        },
      ]
    },
  )
  const byMint = (a: NaiveMover, b: NaiveMover) => (a.mint < b.mint ? -1 : 1)
  return {
    gainers: movers
      .filter((mover) => mover.price_change_pct > 0)
      .sort((a, b) => b.price_change_pct - a.price_change_pct || byMint(a, b)),
    losers: movers
      .filter((mover) => mover.price_change_pct < 0)
      .sort((a, b) => a.price_change_pct - b.price_change_pct || byMint(a, b)),
  }
}
