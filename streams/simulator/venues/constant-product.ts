/**
 * Venues 2, 3 and 5: constant product over real reserves. The pool fee is taken from the input leg
 * (venues 3, 5) or always from the SOL side (venue 2: of what comes in on a buy, of what would go
 * out on a sell); either way it stays in the pool. Part of the SOL may lie outside the account
 * that the venue reports: it prices trades, but cannot be paid out.
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

type ConstantProductStart = {
  readonly sol: bigint
  readonly token: bigint
  readonly feeBps: number
  readonly feeSide: 'input' | 'sol'
  /** Lamports that the reported reserve is short by. */
  readonly unreportedSol?: bigint
}

/** A sell or a withdrawal leaves this many lamports in the reported account. */
const REPORTED_SOL_MIN = 100_000_000n

export class ConstantProduct implements Mechanism {
  readonly feeBps: number
  readonly #feeSide: 'input' | 'sol'
  readonly #unreportedSol: bigint
  #sol: bigint
  #token: bigint

  constructor(start: ConstantProductStart) {
    this.feeBps = start.feeBps
    this.#feeSide = start.feeSide
    this.#unreportedSol = start.unreportedSol ?? 0n
    this.#sol = start.sol
    this.#token = start.token
  }

  buy(solIn: bigint): Legs | undefined {
    const fee = shareUp(solIn, this.feeBps)
    const effective = solIn - fee
    const token = (this.#token * effective) / (this.#sol + effective)
    if (token === 0n) return undefined
    this.#sol += solIn
    this.#token -= token
    return { sol: solIn, token, fee }
  }

  sell(tokenIn: bigint): Legs | undefined {
    const inputFee = this.#feeSide === 'input' ? shareUp(tokenIn, this.feeBps) : 0n
    const effective = tokenIn - inputFee
    const gross = (this.#sol * effective) / (this.#token + effective)
    const fee =
      this.#feeSide === 'input' ? shareDown(gross, this.feeBps) : shareUp(gross, this.feeBps)
    const sol = this.#feeSide === 'input' ? gross : gross - fee
    if (tokenIn === 0n || !this.#canPay(sol)) return undefined
    this.#sol -= sol
    this.#token += tokenIn
    return { sol, token: tokenIn, fee }
  }

  #canPay(sol: bigint): boolean {
    return this.#sol - sol >= this.#unreportedSol + REPORTED_SOL_MIN
  }

  price(): number {
    return Number(this.#sol) / Number(this.#token)
  }

  depthLamports(): number {
    return Number(this.#sol)
  }

  report(reserves: Reserves): void {
    reserves.realSolReserves = int64(this.#sol - this.#unreportedSol)
    reserves.realTokenReserves = int64(this.#token)
  }

  changeLiquidity(permille: number): LiquidityChange | undefined {
    return permille > 0 ? this.#add(BigInt(permille)) : this.#remove(BigInt(-permille))
  }

  #add(permille: bigint): LiquidityChange {
    const sol = ceilDivide(this.#sol * permille, 1000n)
    const token = ceilDivide(this.#token * sol, this.#sol)
    this.#sol += sol
    this.#token += token
    return { sol, token }
  }

  #remove(permille: bigint): LiquidityChange | undefined {
    const sol = (this.#sol * permille) / 1000n
    if (!this.#canPay(sol)) return undefined
    const token = (this.#token * permille) / 1000n
    this.#sol -= sol
    this.#token -= token
    return { sol, token }
  }
}
