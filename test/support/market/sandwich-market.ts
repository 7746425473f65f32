// A market of one pool with known sandwiches: attackers with 1 to 3 legs a side, victims and bystanders between, volume bots, arbitrage
// within a transaction, and wallets that flip some slots later. Each trade is of an exact quantity, so that the market can be run again
// without the attackers.

import type { Swap } from '../../../domain/events/swap.ts'
import { feeOnInput } from '../../../domain/market/curve.ts'
import type { Reserves } from '../../../domain/market/reserves.ts'
import type { DexId } from '../../../domain/venue.ts'
import { FormulaPool } from './formula-pool.ts'
import { signatureOf, trader } from './sample-swap.ts'

/** By signature. `losses`: of every other swap between the legs, negative for a gain; lamports. */
export type TrueSandwich = {
  readonly legs: readonly string[]
  readonly losses: ReadonlyMap<string, bigint>
  readonly profit: bigint
}
type SandwichMarket = {
  readonly swaps: readonly Swap[]
  readonly truth: readonly TrueSandwich[]
}

type Made = { readonly swap: Swap; readonly isLeg: boolean }

const SOL = 1_000_000_000n
const RATE_PPM = 2_500n
const FLIPPERS = 20

export class SandwichSimulator {
  readonly #pool: FormulaPool
  readonly #swaps: Swap[] = []
  readonly #truth: TrueSandwich[] = []
  readonly #held = new Map<number, bigint>()
  #state: number
  #slot = 10_000
  #transaction = 0
  #number = 0
  #wallet = 1_000

  /** Under another venue's id than 3 the pool's formula is hidden. */
  constructor(seed: number, dex: DexId) {
    this.#state = seed >>> 0
    const reserves = { sol: 500n * SOL, tokens: 10n ** 15n }
    this.#pool = new FormulaPool({ ...reserves, dex, pair: 5, ratePpm: RATE_PPM, hasPrices: true })
  }

  run(slots: number): SandwichMarket {
    const scenes = [this.#attack, this.#attack, this.#volume, this.#trades, this.#arbitrage]
    for (let slot = 0; slot < slots; slot++) {
      this.#slot += 1 + this.#draw(3)
      this.#transaction = 0
      scenes[this.#draw(scenes.length)]?.call(this)
      if (this.#draw(3) === 0) this.#flip()
    }
    return { swaps: this.#swaps, truth: this.#truth }
  }

  #draw(below: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((this.#state / 2 ** 32) * below)
  }

  /** From the first to the second, in thousandths of a SOL. */
  #lamports(from: number, to: number): bigint {
    return BigInt(from + this.#draw(to - from + 1)) * 1_000_000n + BigInt(this.#draw(1_000))
  }

  #stamp(user: string): Partial<Swap> {
    this.#number += 1
    this.#transaction += 1 + this.#draw(3)
    return {
      ...{ user, slot: this.#slot, timestamp: Date.UTC(2026, 6, 1) + this.#slot * 400 },
      ...{ signature: signatureOf(5_000_000 + this.#number), blockTxIndex: this.#transaction },
      ixIndex: 0,
    }
  }

  #buy(lamports: bigint, user: string): Swap {
    const { tokens } = this.#pool.curve().buy(lamports)
    return this.#store(this.#pool.buyExactly(tokens, this.#stamp(user)))
  }

  #sell(tokens: bigint, user: string): Swap {
    return this.#store(this.#pool.sell(tokens, this.#stamp(user)))
  }

  #store(swap: Swap): Swap {
    this.#swaps.push(swap)
    return swap
  }

  /** A wallet that trades once. */
  #stranger(): string {
    this.#wallet += 1
    return trader(this.#wallet)
  }

  /** Others buy, and some sell. */
  #others(count: number, isBuy: boolean): Made[] {
    return Array.from({ length: count }, () => {
      const isSame = this.#draw(5) > 0
      const lamports = this.#lamports(500, 6_000)
      const { tokens } = this.#pool.curve().buy(lamports)
      const user = this.#stranger()
      const swap = isSame === isBuy ? this.#buy(lamports, user) : this.#sell(tokens, user)
      return { swap, isLeg: false }
    })
  }

  /** Buys first, or with tokens at hand sells first. */
  #attack(): void {
    const attacker = trader(10 + this.#draw(5))
    const isBuy = this.#draw(4) > 0
    const start = this.#pool.reserves
    const made: Made[] = []
    const legs = 1 + this.#draw(3)
    const front = (): Swap => {
      const lamports = this.#lamports(2_000, 9_000)
      const { tokens } = this.#pool.curve().buy(lamports)
      return isBuy ? this.#buy(lamports, attacker) : this.#sell(tokens, attacker)
    }
    for (let leg = 0; leg < legs; leg++) made.push({ swap: front(), isLeg: true })
    const moved = made.reduce((sum, { swap }) => sum + BigInt(swap.tokenAmount), 0n)
    made.push(...this.#others(this.#draw(21), isBuy))
    const backs = 1 + this.#draw(3)
    for (let leg = 0; leg < backs; leg++) {
      const tokens =
        leg < backs - 1 ? moved / BigInt(backs) : moved - (moved / BigInt(backs)) * BigInt(leg)
      const swap = isBuy
        ? this.#sell(tokens, attacker)
        : this.#store(this.#pool.buyExactly(tokens, this.#stamp(attacker)))
      made.push({ swap, isLeg: true })
    }
    this.#note(start, made, isBuy)
  }

  /** Only one with a profit and a victim that lost is a sandwich. */
  #note(start: Reserves, made: readonly Made[], isBuy: boolean): void {
    const losses = lossesWithout(start, made)
    const legs = made.filter(({ isLeg }) => isLeg).map(({ swap }) => swap)
    const profit = legs.reduce(
      (sum, swap) => sum + (swap.isBuy ? -1n : 1n) * BigInt(swap.solAmount),
      0n,
    )
    const hasVictim = made.some(
      ({ swap, isLeg }) =>
        !isLeg && swap.isBuy === isBuy && (losses.get(swap.signature) ?? 0n) > 0n,
    )
    if (profit <= 0n || !hasVictim) return
    this.#truth.push({ legs: legs.map(({ signature }) => signature), losses, profit })
  }

  /** Buys and sells a little more in one slot, with small trades of others between. */
  #volume(): void {
    const bot = trader(30 + this.#draw(5))
    const bought = this.#buy(this.#lamports(1_000, 2_000), bot)
    for (let other = 0; other < 1 + this.#draw(3); other++) {
      this.#buy(this.#lamports(10, 100), this.#stranger())
    }
    this.#sell((BigInt(bought.tokenAmount) * 1_008n) / 1_000n, bot)
  }

  #trades(): void {
    this.#others(1 + this.#draw(10), true)
  }

  /** Buys and sells in one transaction. */
  #arbitrage(): void {
    this.#others(1, true)
    const stamp = this.#stamp(trader(50))
    const bought = this.#store(this.#pool.buy(this.#lamports(1_000, 3_000), stamp))
    this.#store(this.#pool.sell(BigInt(bought.tokenAmount), { ...stamp, ixIndex: 1 }))
    this.#others(1, true)
  }

  /** A wallet sells in a later slot what it bought. */
  #flip(): void {
    const number = 60 + this.#draw(FLIPPERS)
    const held = this.#held.get(number)
    if (held === undefined) {
      this.#held.set(
        number,
        BigInt(this.#buy(this.#lamports(500, 3_000), trader(number)).tokenAmount),
      )
    } else {
      this.#sell(held, trader(number))
      this.#held.delete(number)
    }
  }
}

/** The same trades of the others, quantity by quantity, in a pool in which the legs never traded. */
function lossesWithout(start: Reserves, made: readonly Made[]): Map<string, bigint> {
  const losses = new Map<string, bigint>()
  let { sol, tokens } = start
  for (const { swap, isLeg } of made) {
    if (isLeg) continue
    const quantity = BigInt(swap.tokenAmount)
    const alone = feeOnInput({ sol, tokens }, RATE_PPM)
    const lamports = swap.isBuy ? (alone.cost(quantity) ?? 0n) : alone.proceeds(quantity)
    const paid = BigInt(swap.solAmount)
    losses.set(swap.signature, swap.isBuy ? paid - lamports : lamports - paid)
    sol += swap.isBuy ? lamports : -lamports
    tokens += swap.isBuy ? -quantity : quantity
  }
  return losses
}
