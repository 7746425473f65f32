/**
 * Venue 1: a bonding curve, constant product over virtual reserves. A token starts with 30 virtual
 * SOL against 1,073,000,000 tokens, of which 793,100,000 are for sale; after the last of them the curve holds about 85
 * SOL and is complete. Fees stay outside the legs.
 */
import { int64 } from '../../../domain/amount.ts'
import { ceilDivide } from '../../../domain/numbers/ceil-divide.ts'
import { type Legs, type Mechanism, type Reserves, shareUp } from './mechanism.ts'

export const CURVE_DECIMALS = 6
const CURVE_FEE_BPS = 95
export const CURVE_CREATOR_FEE_BPS = 30
const VIRTUAL_SOL_START = 30_000_000_000n
const VIRTUAL_TOKEN_START = 1_073_000_000_000_000n
const REAL_TOKEN_START = 793_100_000_000_000n

export class BondingCurve implements Mechanism {
  readonly feeBps = CURVE_FEE_BPS
  #virtualSol = VIRTUAL_SOL_START
  #virtualToken = VIRTUAL_TOKEN_START
  #realToken = REAL_TOKEN_START

  /** A buy beyond the remaining tokens gets the remaining ones, at their price. */
  buy(solIn: bigint): Legs | undefined {
    let sol = solIn
    let token = (this.#virtualToken * sol) / (this.#virtualSol + sol)
    if (token >= this.#realToken) {
      token = this.#realToken
      sol = ceilDivide(this.#virtualSol * token, this.#virtualToken - token)
    }
    if (token === 0n) return undefined
    this.#virtualSol += sol
    this.#virtualToken -= token
    this.#realToken -= token
    return { sol, token, fee: shareUp(sol, this.feeBps) }
  }

  sell(tokenIn: bigint): Legs | undefined {
    const sol = (this.#virtualSol * tokenIn) / (this.#virtualToken + tokenIn)
    if (tokenIn === 0n || sol > this.realSol()) return undefined
    this.#virtualSol -= sol
    this.#virtualToken += tokenIn
    this.#realToken += tokenIn
    return { sol, token: tokenIn, fee: shareUp(sol, this.feeBps) }
  }

  realSol(): bigint {
    return this.#virtualSol - VIRTUAL_SOL_START
  }

  price(): number {
    return Number(this.#virtualSol) / Number(this.#virtualToken)
  }

  depthLamports(): number {
    return Number(this.#virtualSol)
  }

  report(reserves: Reserves): void {
    reserves.virtualSolReserves = int64(this.#virtualSol)
    reserves.virtualTokenReserves = int64(this.#virtualToken)
    reserves.realSolReserves = int64(this.realSol())
    reserves.realTokenReserves = int64(this.#realToken)
  }

  isSoldOut(): boolean {
    return this.#realToken === 0n
  }
}
