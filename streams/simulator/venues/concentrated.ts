/**
 * Venues 4, 6, 7 and 9: concentrated liquidity. The price axis is cut into a few ranges, each with
 * its own constant liquidity L; a trade walks from range to range. The state is the square root of
 * the price in 64.64 fixed point, so within a range
 *
 *   sol = L * (next - root) / 2^64          token = L * 2^64 * (next - root) / (next * root)
 *
 * The fee is taken from the input leg and stays in the whole-pool inventory, which is what the
 * venue reports as reserves; inputs round up and outputs down, so the inventory always covers L.
 */
import { int64 } from '../../../domain/amount.ts'
import { ceilDivide } from '../../../domain/numbers/ceil-divide.ts'
import {
  type Legs,
  type LiquidityChange,
  type Mechanism,
  type Reserves,
  shareDown,
  shareUp,
} from './mechanism.ts'

const ONE = 1n << 64n
/** Range ends around the opening price, as millionths of its square root. */
const RANGE_ENDS = [50_000, 625_000, 869_565, 970_873, 1_030_000, 1_150_000, 1_600_000, 20_000_000]
/** Liquidity of the ranges between them, relative to the outermost. */
const RANGE_WEIGHTS = [1n, 3n, 8n, 20n, 8n, 3n, 1n]

type ConcentratedStart = {
  /** Lamports per base unit. */
  readonly price: number
  /** Virtual SOL at the opening price: a small trade of x moves the price by about 2x / depth. */
  readonly depthLamports: number
  readonly feeBps: number
}

type Walk = { root: bigint; range: number; out: bigint }

export class Concentrated implements Mechanism {
  readonly feeBps: number
  readonly #ends: readonly bigint[]
  readonly #liquidity: bigint[]
  #root: bigint
  #range: number
  #sol: bigint
  #token: bigint

  constructor(start: ConcentratedStart) {
    this.feeBps = start.feeBps
    this.#root = BigInt(Math.floor(Math.sqrt(start.price) * 2 ** 48)) << 16n
    const middle = (BigInt(Math.floor(start.depthLamports)) * ONE) / this.#root
    this.#ends = RANGE_ENDS.map((millionths) => (this.#root * BigInt(millionths)) / 1_000_000n)
    this.#liquidity = RANGE_WEIGHTS.map((weight) => (middle * weight) / 20n + 1n)
    this.#range = 3
    const inventory = this.#worth(this.#liquidity, ceilDivide)
    this.#sol = inventory.sol
    this.#token = inventory.token
  }

  /** Value of a set of liquidities, one a range, at the present price. */
  #worth(
    liquidity: readonly bigint[],
    divide: (numerator: bigint, denominator: bigint) => bigint,
  ): LiquidityChange {
    let sol = 0n
    let token = 0n
    liquidity.forEach((depth, range) => {
      const low = this.#ends[range]!
      const high = this.#ends[range + 1]!
      const root = clamp(this.#root, low, high)
      sol += divide(depth * (root - low), ONE)
      token += divide(depth * ONE * (high - root), high * root)
    })
    return { sol, token }
  }

  buy(solIn: bigint): Legs | undefined {
    const fee = shareUp(solIn, this.feeBps)
    const walk = this.#walkUp(solIn - fee)
    if (walk === undefined || walk.out === 0n) return undefined
    this.#sol += solIn
    this.#token -= walk.out
    return this.#settle(walk, solIn, walk.out, fee)
  }

  sell(tokenIn: bigint): Legs | undefined {
    const walk = this.#walkDown(tokenIn - shareUp(tokenIn, this.feeBps))
    if (walk === undefined) return undefined
    this.#sol -= walk.out
    this.#token += tokenIn
    return this.#settle(walk, walk.out, tokenIn, shareDown(walk.out, this.feeBps))
  }

  #settle(walk: Walk, sol: bigint, token: bigint, fee: bigint): Legs {
    const priceBefore = this.price()
    this.#root = walk.root
    this.#range = walk.range
    return { sol, token, fee, priceBefore, priceAfter: this.price() }
  }

  #walkUp(solIn: bigint): Walk | undefined {
    const walk: Walk = { root: this.#root, range: this.#range, out: 0n }
    let left = solIn
    while (left > 0n) {
      const high = this.#ends[walk.range + 1]!
      const depth = this.#liquidity[walk.range]!
      const needed = ceilDivide(depth * (high - walk.root), ONE)
      const next = left < needed ? walk.root + (left * ONE) / depth : high
      walk.out += (depth * ONE * (next - walk.root)) / (next * walk.root)
      walk.root = next
      if (left < needed) return walk
      left -= needed
      if (walk.range + 1 >= this.#liquidity.length) return left === 0n ? walk : undefined
      walk.range += 1
    }
    return walk
  }

  #walkDown(tokenIn: bigint): Walk | undefined {
    const walk: Walk = { root: this.#root, range: this.#range, out: 0n }
    let left = tokenIn
    while (left > 0n) {
      const low = this.#ends[walk.range]!
      const depth = this.#liquidity[walk.range]! * ONE
      const needed = ceilDivide(depth * (walk.root - low), low * walk.root)
      const next = left < needed ? ceilDivide(depth * walk.root, depth + left * walk.root) : low
      walk.out += (this.#liquidity[walk.range]! * (walk.root - next)) / ONE
      walk.root = next
      if (left < needed) return walk
      left -= needed
      if (walk.range === 0) return left === 0n ? walk : undefined
      walk.range -= 1
    }
    return walk
  }

  price(): number {
    const root = Number(this.#root) / 2 ** 64
    return root * root
  }

  depthLamports(): number {
    return Number((this.#liquidity[this.#range]! * this.#root) / ONE)
  }

  report(reserves: Reserves): void {
    reserves.realSolReserves = int64(this.#sol)
    reserves.realTokenReserves = int64(this.#token)
  }

  /** Adds to or takes from the present range and its neighbours, by a share of what they hold. */
  changeLiquidity(permille: number): LiquidityChange | undefined {
    const size = BigInt(Math.abs(permille))
    const moved = this.#liquidity.map((depth, range) =>
      Math.abs(range - this.#range) <= 1 ? (depth * size) / 1000n : 0n,
    )
    const change = this.#worth(moved, permille > 0 ? ceilDivide : (n, d) => n / d)
    const sign = permille > 0 ? 1n : -1n
    moved.forEach((depth, range) => {
      this.#liquidity[range] = this.#liquidity[range]! + sign * depth
    })
    this.#sol += sign * change.sol
    this.#token += sign * change.token
    return change
  }
}

function clamp(root: bigint, low: bigint, high: bigint): bigint {
  if (root < low) return low
  if (root > high) return high
  return root
}
