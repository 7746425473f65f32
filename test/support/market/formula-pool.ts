// A pool of constant product with a fee on its input, as venue 3 has it. Under the id of another venue its formula is hidden.

import { int64 } from '../../../domain/amount.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import { type Curve, feeOnInput, type Legs } from '../../../domain/market/curve.ts'
import type { Reserves } from '../../../domain/market/reserves.ts'
import type { DexId } from '../../../domain/venue.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from './sample-swap.ts'

type FormulaPoolOptions = Reserves & {
  /** Absent: venue 3. */
  dex?: DexId
  /** Number of its pair account. */
  pair?: number
  ratePpm?: bigint
  /** Whether its fees stay outside its reserves, as in concentrated pools, so that trades in parts get the same as one. */
  isFeeApart?: boolean
  /** Whether its swaps publish the price after them. */
  hasPrices?: boolean
}

const DECIMALS = 6
const RATE_PPM = 2_500n
const FIRST_MS = Date.UTC(2026, 6, 1)

export class FormulaPool {
  readonly #options: FormulaPoolOptions
  reserves: Reserves
  #count = 0

  constructor(options: FormulaPoolOptions) {
    this.#options = options
    this.reserves = options
  }

  curve(): Curve {
    return feeOnInput(this.reserves, this.#options.ratePpm ?? RATE_PPM)
  }

  /** Each swap is in a slot of its own, from 1,000 on, unless another is given. */
  buy(lamports: bigint, changes: Partial<Swap> = {}): Swap {
    return this.#trade(true, this.curve().buy(lamports), changes)
  }

  /** For exactly these tokens, at what they cost. */
  buyExactly(tokens: bigint, changes: Partial<Swap> = {}): Swap {
    return this.#trade(true, { sol: this.curve().cost(tokens) ?? 0n, tokens }, changes)
  }

  sell(tokens: bigint, changes: Partial<Swap> = {}): Swap {
    return this.#trade(false, { sol: this.curve().proceeds(tokens), tokens }, changes)
  }

  #trade(isBuy: boolean, { sol, tokens }: Legs, changes: Partial<Swap>): Swap {
    const sign = isBuy ? 1n : -1n
    const own = this.reserves
    const apart = this.#options.isFeeApart
      ? this.curve().fee(isBuy, { sol, tokens })
      : { sol: 0n, tokens: 0n }
    this.reserves = {
      sol: own.sol + sign * sol - apart.sol,
      tokens: own.tokens - sign * tokens - apart.tokens,
    }
    const { dex = 3, pair: number = 0, hasPrices } = this.#options
    const slot = 1_000 + this.#count++
    const price = Number(this.reserves.sol) / Number(this.reserves.tokens) / 10 ** (9 - DECIMALS)
    return sampleSwap({
      ...{ dex, isBuy, slot, timestamp: FIRST_MS + slot * 400, user: trader(slot % 5) },
      ...{ signature: signatureOf(number * 10_000 + slot), pairAddress: pair(number) },
      ...{ tokenAddress: mint(number), quoteDecimals: DECIMALS },
      ...{ solAmount: int64(sol), tokenAmount: int64(tokens) },
      ...{
        realSolReserves: int64(this.reserves.sol),
        realTokenReserves: int64(this.reserves.tokens),
      },
      priceAfter: hasPrices ? price : undefined,
      ...changes,
    })
  }
}
