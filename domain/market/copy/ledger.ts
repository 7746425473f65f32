/**
 * The ledgers of a copy: cash, and a sleeve of tokens for each leader and mint. Low and high run next to each other by the same
 * decisions. Decisions depend on lamports spent, which are exact, on the high tokens and on the low proceeds. Changed in place.
 */
import { least } from '../../numbers/extremes.ts'
import type { Bounds } from '../evidence.ts'
import type { Order } from './order.ts'
import type { CopySettings } from './settings.ts'

export type Sleeve = {
  readonly leader: string
  readonly mint: string
  /** Pool account of the last buy. */
  readonly pair: string
  readonly held: Bounds
  readonly cost: bigint
}

export const NONE: Bounds = { low: 0n, high: 0n }
const PPM = 1_000_000n

export class CopyLedger {
  readonly #settings: CopySettings
  readonly #sleeves = new Map<string, Sleeve>()
  /** Sleeves of each mint: its account exists while there is one. */
  readonly #held = new Map<string, number>()
  spent = 0n
  proceeds: Bounds = NONE
  outsideFees = 0n
  transactionFees = 0n
  /** The deepest point of cash, by the low ledger. */
  deepest = 0n

  constructor(settings: CopySettings) {
    this.#settings = settings
  }

  sleeveOf(order: Order): Sleeve | undefined {
    return this.#sleeves.get(keyOf(order))
  }

  sleeves(): Sleeve[] {
    return [...this.#sleeves.values()]
  }

  get rent(): bigint {
    return BigInt(this.#held.size) * this.#settings.rent
  }

  /** Lamports for a buy, or the reason why there is none. */
  budget(order: Order): bigint | 'leader_size' | 'repeat' | 'limit_open' | 'too_small' {
    const { leaderMin, leaderMax, repeatBuys, openMax, size, tradeMin } = this.#settings
    const { lamports } = order
    if (lamports < leaderMin || (leaderMax !== undefined && lamports > leaderMax)) {
      return 'leader_size'
    }
    const isHeld = this.sleeveOf(order) !== undefined
    if (isHeld && !repeatBuys) return 'repeat'
    if (!isHeld && openMax !== undefined && this.#sleeves.size >= openMax) return 'limit_open'
    const wanted = 'lamports' in size ? size.lamports : (lamports * size.ratioPpm) / PPM
    const budget = this.#limits(order).reduce(least, wanted)
    return budget <= 0n || budget < tradeMin ? 'too_small' : budget
  }

  #limits({ mint }: Order): bigint[] {
    const { tradeMax, tokenMax, capital, rent } = this.#settings
    const rentDue = this.#held.has(mint) ? 0n : rent
    return [
      ...(tradeMax === undefined ? [] : [tradeMax]),
      ...(tokenMax === undefined ? [] : [tokenMax - this.#openCost(mint)]),
      ...(capital === undefined ? [] : [capital - this.#out() - this.#transactionFee - rentDue]),
    ]
  }

  #openCost(mint: string): bigint {
    const own = this.sleeves().filter((sleeve) => sleeve.mint === mint)
    return own.reduce((sum, { cost }) => sum + cost, 0n)
  }

  /** A transaction that failed: it pays its fee, which is returned. */
  payFee(): bigint {
    this.transactionFees += this.#transactionFee
    this.#noteDepth()
    return this.#transactionFee
  }

  buy(order: Order, spent: bigint, arrived: Bounds): bigint {
    const sleeve = this.sleeveOf(order)
    const held = plus(sleeve?.held ?? NONE, arrived)
    this.spent += spent
    this.#store({
      ...{ leader: order.leader, mint: order.mint, pair: order.main.pairAddress, held },
      cost: (sleeve?.cost ?? 0n) + spent,
    })
    return this.payFee()
  }

  /** Stores the sleeve after the sale; an empty one ends. */
  sell(remaining: Sleeve, proceeds: Bounds): bigint {
    this.proceeds = plus(this.proceeds, proceeds)
    this.#store(remaining)
    return this.payFee()
  }

  get #transactionFee(): bigint {
    return this.#settings.baseFee + this.#settings.priorityFee
  }

  #store(sleeve: Sleeve): void {
    const key = keyOf(sleeve)
    const isOpen = this.#sleeves.has(key)
    const remains = sleeve.held.high > 0n
    if (remains) this.#sleeves.set(key, sleeve)
    else this.#sleeves.delete(key)
    if (isOpen === remains) return
    const count = (this.#held.get(sleeve.mint) ?? 0) + (remains ? 1 : -1)
    if (count > 0) this.#held.set(sleeve.mint, count)
    else this.#held.delete(sleeve.mint)
  }

  #out(): bigint {
    return this.spent + this.transactionFees + this.rent - this.proceeds.low
  }

  #noteDepth(): void {
    const out = this.#out()
    if (out > this.deepest) this.deepest = out
  }
}

const keyOf = ({ leader, mint }: Pick<Sleeve, 'leader' | 'mint'>): string => `${leader} ${mint}`

export const plus = (a: Bounds, b: Bounds): Bounds => ({
  low: a.low + b.low,
  high: a.high + b.high,
})
