/**
 * Venue 10: no reserves to see. The venue quotes from a hidden price, which walks at random, leans with the trades and
 * has a spread on either side; both real reserves stay 0.
 */

import type { Prng } from '../prng.ts'
import type { Legs, Mechanism } from './mechanism.ts'

const SPREAD_BPS = 10
/** Standard deviation of the walk per trade, in log price. */
const WALK = 0.0008

export class HiddenPrice implements Mechanism {
  readonly feeBps = SPREAD_BPS
  readonly #prng: Prng
  readonly #depthLamports: number
  #price: number

  constructor(prng: Prng, price: number, depthLamports: number) {
    this.#prng = prng
    this.#price = price
    this.#depthLamports = depthLamports
  }

  buy(solIn: bigint): Legs | undefined {
    const lamports = Number(solIn)
    const askPrice = this.#price * (1 + SPREAD_BPS / 10_000)
    const token = BigInt(Math.floor(lamports / askPrice))
    if (token === 0n) return undefined
    this.#lean(lamports)
    return { sol: solIn, token, fee: (solIn * BigInt(SPREAD_BPS)) / 10_000n }
  }

  sell(tokenIn: bigint): Legs | undefined {
    if (tokenIn === 0n) return undefined
    const bid = this.#price * (1 - SPREAD_BPS / 10_000)
    const lamports = Math.floor(Number(tokenIn) * bid)
    this.#lean(-lamports)
    const sol = BigInt(lamports)
    return { sol, token: tokenIn, fee: (sol * BigInt(SPREAD_BPS)) / 10_000n }
  }

  #lean(lamports: number): void {
    const pushed = Math.max(-0.2, Math.min(0.2, (2 * lamports) / this.#depthLamports))
    this.#price *= Math.exp(pushed + WALK * this.#prng.normal())
  }

  price(): number {
    return this.#price
  }

  depthLamports(): number {
    return this.#depthLamports
  }

  /** The row's reserves are 0 from the start, and stay so. */
  report(): void {}
}
