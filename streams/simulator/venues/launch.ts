/**
 * Venue 8: a launch venue whose price rises in a straight line with what was sold, from 30 to 300
 * lamports a whole token over 800,000,000 tokens. With s base units sold and u base units a token
 * the curve holds R(s) = (4.8e9 * u * s + 27 * s^2) / (1.6e8 * u^2) lamports. A buy pays the
 * difference rounded up, a sell gets it rounded down. Fees and creator fee are outside the legs.
 */
import { int64 } from '../../../domain/amount.ts'
import { ceilDivide } from '../../../domain/numbers/ceil-divide.ts'
import { type Legs, type Mechanism, type Reserves, shareUp } from './mechanism.ts'

const LAUNCH_FEE_BPS = 100
export const LAUNCH_CREATOR_FEE_BPS = 50
/** Whole tokens on the curve. */
const LAUNCH_TOKENS = 800_000_000n
const LINEAR = 4_800_000_000n
const SQUARE = 27n
const SCALE = 160_000_000n

export class LinearLaunch implements Mechanism {
  readonly feeBps = LAUNCH_FEE_BPS
  readonly #unit: bigint
  #left: bigint
  #sold = 0n
  #sol = 0n

  constructor(decimals: number) {
    this.#unit = 10n ** BigInt(decimals)
    this.#left = LAUNCH_TOKENS * this.#unit
  }

  /** The trader orders as many tokens as about `solIn` buys and pays their cost. */
  buy(solIn: bigint): Legs | undefined {
    let token = this.#tokensFor(solIn)
    if (token > this.#left) token = this.#left
    if (token <= 0n) return undefined
    const sol = ceilDivide(this.#held(this.#sold + token) - this.#held(this.#sold), this.#divisor())
    this.#move(token, sol)
    return { sol, token, fee: shareUp(sol, this.feeBps) }
  }

  sell(tokenIn: bigint): Legs | undefined {
    if (tokenIn <= 0n || tokenIn > this.#sold) return undefined
    const sol = (this.#held(this.#sold) - this.#held(this.#sold - tokenIn)) / this.#divisor()
    this.#move(-tokenIn, -sol)
    return { sol, token: tokenIn, fee: shareUp(sol, this.feeBps) }
  }

  #move(token: bigint, sol: bigint): void {
    this.#sold += token
    this.#left -= token
    this.#sol += sol
  }

  #held(sold: bigint): bigint {
    return (LINEAR * this.#unit + SQUARE * sold) * sold
  }

  #divisor(): bigint {
    return SCALE * this.#unit * this.#unit
  }

  /** The positive root of 27 t^2 + slope t = cost, near enough: the cost is then exact. */
  #tokensFor(solIn: bigint): bigint {
    const slope = Number(LINEAR * this.#unit + 2n * SQUARE * this.#sold)
    const cost = Number(solIn) * Number(this.#divisor())
    const root = Math.sqrt(slope * slope + 4 * Number(SQUARE) * cost)
    return BigInt(Math.floor((2 * cost) / (slope + root)))
  }

  price(): number {
    const slope = Number(LINEAR * this.#unit + 2n * SQUARE * this.#sold)
    return slope / Number(this.#divisor())
  }

  depthLamports(): number {
    return 30_000_000_000 + Number(this.#sol)
  }

  report(reserves: Reserves): void {
    reserves.realSolReserves = int64(this.#sol)
    reserves.realTokenReserves = int64(this.#left)
  }

  isSoldOut(): boolean {
    return this.#left === 0n
  }
}
