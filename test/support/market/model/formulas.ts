// Formulas of venues for the second model, from the table of docs/semantics.md#pricing-a-trade only.

import type { Swap } from '../../../../domain/events/swap.ts'
import { before, down, legsOf, lower, type Pair, up } from './slots.ts'

/** A venue's formula. `most`: what the pool can pay and sell. */
export type Formula = {
  readonly rate: bigint
  buy(lamports: bigint, at: Pair, most: Pair): Pair
  cost(tokens: bigint, at: Pair): bigint | undefined
  proceeds(tokens: bigint, at: Pair, most: Pair): bigint
  /** Whether a mode of the venue makes these legs, other than proceeds. */
  makes(isBuy: boolean, legs: Pair, at: Pair): boolean
}

const NONE: Pair = [0n, 0n]
const MILLION = 1_000_000n
const BPS = 10_000n
const RATES = [
  ...[100n, 500n, 1_000n, 2_500n, 3_000n, 4_000n, 5_000n, 10_000n, 15_000n, 20_000n, 25_000n],
  ...[30_000n, 40_000n],
]

/** Tokens that leave a product of reserves for lamports. */
const moved = (lamports: bigint, [S, T]: Pair): bigint =>
  lamports >= 0n && S + lamports > 0n ? down(lamports * T, S + lamports) : -1n

const atCost = (tokens: bigint, cost: bigint | undefined): Pair =>
  tokens > 0n && cost !== undefined ? [cost, tokens] : NONE

const CURVE: Formula = {
  rate: 0n,
  cost: (t, [S, T]) => (t < T ? down(S * t, T - t) + 1n : undefined),
  proceeds: (t, [S, T], [most]) => lower(down(S * t, T + t), most),
  buy(lamports, at, [, most]) {
    if (lamports <= 0n) return NONE
    const tokens = lower(down(lamports * at[1] - 1n, at[0] + lamports), most)
    return atCost(tokens, CURVE.cost(tokens, at))
  },
  makes: (isBuy, [x, t], at) =>
    isBuy && (moved(x, at) === t || moved(x - 1n, at) === t || CURVE.cost(t, at) === x),
}

function solFee(f: bigint): Formula {
  const withFee = (n: bigint): bigint => n + up(n * f, BPS)
  /** The greatest input that is within the lamports with its fee, by halves. */
  const net = (lamports: bigint): bigint => {
    let [low, high] = [0n, lamports + 1n]
    while (high - low > 1n) {
      const middle = (low + high) / 2n
      if (withFee(middle) <= lamports) low = middle
      else high = middle
    }
    return low
  }
  const own: Formula = {
    rate: f,
    cost: (t, [S, T]) => (t < T ? withFee(up(S * t, T - t)) : undefined),
    proceeds: (t, [S, T]) => down(S * t, T + t) - up(down(S * t, T + t) * f, BPS),
    buy(lamports, at) {
      if (lamports <= 0n) return NONE
      const tokens = moved(net(lamports), at)
      return atCost(tokens, own.cost(tokens, at))
    },
    makes(isBuy, [x, t], at) {
      if (!isBuy) return false
      return moved(net(x), at) === t || moved(net(x) - 1n, at) === t || own.cost(t, at) === x
    },
  }
  return own
}

function inputFee(r: bigint): Formula {
  const net = (input: bigint): bigint => input - up(input * r, MILLION)
  const gross = (input: bigint): bigint => up(input * MILLION, MILLION - r)
  const own: Formula = {
    rate: r,
    cost: (t, [S, T]) => (t < T ? gross(up(S * t, T - t)) : undefined),
    proceeds: (t, [S, T]) => down(S * net(t), T + net(t)),
    buy(lamports, at) {
      const tokens = lamports > 0n ? moved(net(lamports), at) : 0n
      return tokens > 0n ? [lamports, tokens] : NONE
    },
    makes(isBuy, [x, t], [S, T]) {
      if (isBuy) return moved(net(x), [S, T]) === t || own.cost(t, [S, T]) === x
      return x < S && gross(up(T * x, S - x)) === t
    },
  }
  return own
}

export function formulasOf({ dex, feeBps }: Swap): Formula[] {
  if (dex === 1) return [CURVE]
  if (dex === 2) return [solFee(BigInt(feeBps))]
  if (dex === 3) return [inputFee(2_500n)]
  if (dex !== 5) return []
  return (feeBps > 0 ? [BigInt(feeBps) * 100n] : RATES).filter((r) => r < MILLION).map(inputFee)
}

export const plus = ([sol, tokens]: Pair, hidden: bigint): Pair => [sol + hidden, tokens]

/** The formula that reproduces the swap; undefined where none or several do. */
export function formulaOf(swap: Swap, hidden: bigint): Formula | undefined {
  const at = plus(before(swap), hidden)
  const [x, t] = legsOf(swap)
  if (before(swap)[0] < 0n || at[0] <= 0n || at[1] <= 0n) return undefined
  const most: Pair = [BigInt(swap.realSolReserves) + (swap.isBuy ? -x : x), 0n]
  const made = formulasOf(swap).filter(
    (each) =>
      each.makes(swap.isBuy, [x, t], at) || (!swap.isBuy && each.proceeds(t, at, most) === x),
  )
  return made.length === 1 ? made[0] : undefined
}

/** The lamports that a pool of venue 2 holds in addition to its reported ones. */
export function hiddenOf(swap: Swap, migratedAtMs: number | undefined): bigint {
  if (swap.dex !== 2) return 0n
  if (swap.virtualQuoteReserves !== undefined) return BigInt(swap.virtualQuoteReserves)
  return (migratedAtMs ?? 0) >= Date.UTC(2026, 6, 15) ? 17_580_000_000n : 0n
}
