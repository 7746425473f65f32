/**
 * The formulas of venues in integers: what a pool gives for an amount, and what it takes for one. Every rounding is the
 * program's own.
 *
 * Law: a buy and a sell of the tokens that it got never gains. `S`, `T`: reserves of SOL and tokens. Rules:
 * docs/semantics.md#pricing-a-trade.
 */
import { ceilDivide } from '../numbers/ceil-divide.ts'
import { least } from '../numbers/extremes.ts'
import type { Reserves } from './reserves.ts'

/** Amounts that a pool receives and sends: lamports and base units. */
export type Legs = { readonly sol: bigint; readonly tokens: bigint }

/** A pool at one moment. All quantities are legs: fees outside them are not counted. */
export type Curve = {
  /** Trade of a buy that may put this many lamports into the leg. No tokens: the pool gives none for so little. */
  buy(lamports: bigint): Legs
  /** Lamports for exactly these tokens; undefined where the pool has no more than them. */
  cost(tokens: bigint): bigint | undefined
  /** Lamports for these tokens. */
  proceeds(tokens: bigint): bigint
  /** The pool's fee within the legs: in lamports or, where a sell pays it, in base units. */
  fee(isBuy: boolean, legs: Legs): Legs
  /** Whether the venue makes these legs in one of its modes: exact input or exact output. */
  makes(isBuy: boolean, legs: Legs): boolean
}

const BPS = 10_000n
const PPM = 1_000_000n
const NOTHING: Legs = { sol: 0n, tokens: 0n }

/** `most`: what the curve holds, which a trade cannot exceed. */
export function bondingCurve({ sol: S, tokens: T }: Reserves, most: Reserves): Curve {
  const tokensFor = (n: bigint): bigint => (n * T) / (S + n)
  const cost = (tokens: bigint): bigint | undefined =>
    tokens < T ? (S * tokens) / (T - tokens) + 1n : undefined
  const proceeds = (tokens: bigint): bigint => least((S * tokens) / (T + tokens), most.sol)
  return {
    cost,
    proceeds,
    fee: () => NOTHING,
    buy(lamports) {
      if (lamports <= 0n) return NOTHING
      return bought(least((lamports * T - 1n) / (S + lamports), most.tokens), cost)
    },
    makes(isBuy, { sol, tokens }) {
      if (!isBuy) return proceeds(tokens) === sol
      return [sol, sol - 1n].some((n) => n >= 0n && tokensFor(n) === tokens) || cost(tokens) === sol
    },
  }
}

/** A fee in basis points that is part of the SOL leg. */
export function feeOnSol({ sol: S, tokens: T }: Reserves, feeBps: bigint): Curve {
  const charge = (n: bigint): bigint => ceilDivide(n * feeBps, BPS)
  /** The greatest n with n + charge(n) <= lamports. */
  const net = (lamports: bigint): bigint => (lamports * BPS) / (BPS + feeBps)
  const tokensFor = (n: bigint): bigint => (n * T) / (S + n)
  const cost = (tokens: bigint): bigint | undefined => {
    if (tokens >= T) return undefined
    const n = ceilDivide(S * tokens, T - tokens)
    return n + charge(n)
  }
  const proceeds = (tokens: bigint): bigint => {
    const gross = (S * tokens) / (T + tokens)
    return gross - charge(gross)
  }
  return {
    cost,
    proceeds,
    fee(isBuy, { sol, tokens }) {
      return { sol: isBuy ? sol - net(sol) : charge((S * tokens) / (T + tokens)), tokens: 0n }
    },
    buy: (lamports) => (lamports <= 0n ? NOTHING : bought(tokensFor(net(lamports)), cost)),
    makes(isBuy, { sol, tokens }) {
      if (!isBuy) return proceeds(tokens) === sol
      const n = net(sol)
      return (
        [n, n - 1n].some((each) => each >= 0n && tokensFor(each) === tokens) || cost(tokens) === sol
      )
    },
  }
}

/** A fee in parts of a million, less than one million, that is taken from the input, whichever side that is. */
export function feeOnInput({ sol: S, tokens: T }: Reserves, ratePpm: bigint): Curve {
  const net = (input: bigint): bigint => input - ceilDivide(input * ratePpm, PPM)
  /** The input from which `n` is left. */
  const gross = (n: bigint): bigint => ceilDivide(n * PPM, PPM - ratePpm)
  const tokensFor = (lamports: bigint): bigint => (T * net(lamports)) / (S + net(lamports))
  const cost = (tokens: bigint): bigint | undefined =>
    tokens < T ? gross(ceilDivide(S * tokens, T - tokens)) : undefined
  const proceeds = (tokens: bigint): bigint => (S * net(tokens)) / (T + net(tokens))
  return {
    cost,
    proceeds,
    fee(isBuy, { sol, tokens }) {
      return isBuy ? { sol: sol - net(sol), tokens: 0n } : { sol: 0n, tokens: tokens - net(tokens) }
    },
    buy(lamports) {
      const tokens = lamports <= 0n ? 0n : tokensFor(lamports)
      return tokens === 0n ? NOTHING : { sol: lamports, tokens }
    },
    makes(isBuy, { sol, tokens }) {
      if (isBuy) return tokensFor(sol) === tokens || cost(tokens) === sol
      if (proceeds(tokens) === sol) return true
      return sol < S && gross(ceilDivide(T * sol, S - sol)) === tokens
    },
  }
}

function bought(tokens: bigint, cost: Curve['cost']): Legs {
  const sol = tokens > 0n ? cost(tokens) : undefined
  return sol === undefined ? NOTHING : { sol, tokens }
}
