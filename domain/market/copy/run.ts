/**
 * A copy back-test: what copying the leaders would have earned. With exact fills the low and the high ledger are equal. Each trade has
 * its own impact, and the pool is as recorded at the next one. An order that cannot be priced is not made, and counted with its reason.
 *
 * Rules: docs/semantics.md#copying-wallets.
 */

import type { Swap } from '../../events/swap.ts'
import { ceilDivide } from '../../numbers/ceil-divide.ts'
import { least } from '../../numbers/extremes.ts'
import type { Bounds } from '../evidence.ts'
import type { NotPriced, Priced, Trade } from '../quote.ts'
import {
  type CopiedPools,
  fillMoment,
  fillSlotOf,
  leaderMoment,
  type Moment,
  poolKey,
  priceAt,
} from './fill.ts'
import { CopyLedger, NONE, type Sleeve } from './ledger.ts'
import type { Order } from './order.ts'
import type { CopySettings } from './settings.ts'

type NotMade =
  | ('atomic' | 'after_end' | 'pool_closed' | 'leader_size' | 'repeat' | 'limit_open')
  | ('too_small' | 'nothing_held' | 'uncovered')
export type CopyStatus =
  | Priced['basis']
  | NotMade
  | `unpriced:${NotPriced['reason'] | 'undetermined'}`
  | `failed:${'slippage' | 'empty'}`

export type Copied = {
  readonly order: Order
  readonly fillSlot: number
  readonly status: CopyStatus
  /** The swap in whose state it was made, or would have been; undefined where none was looked for or found. */
  readonly state: Swap | undefined
  /** Paid or received with the fees outside the leg, which `outside` holds by the low ledger. */
  readonly lamports: Bounds
  readonly outside: bigint
  /** No source stated the rates of these fees. */
  readonly isFeeAssumed: boolean
  /** Tokens that arrived or left. */
  readonly tokens: Bounds
  /** Base and priority fee of the transaction. */
  readonly fee: bigint
  /** Proceeds less the cost of what was sold, of a sell. */
  readonly realized: Bounds | undefined
}

const NOTHING = {
  ...{ lamports: NONE, outside: 0n, isFeeAssumed: false, tokens: NONE, fee: 0n },
  realized: undefined,
}
const BPS = 10_000n

export class CopyRun {
  readonly #pools: CopiedPools
  readonly #settings: CopySettings
  readonly ledger: CopyLedger

  constructor(pools: CopiedPools, settings: CopySettings) {
    this.#pools = pools
    this.#settings = settings
    this.ledger = new CopyLedger(settings)
  }

  /** Orders are taken in their order. Throws RangeError where a pool was not read. */
  take(order: Order): Copied {
    const copied = { order, fillSlot: fillSlotOf(order, this.#settings), ...NOTHING }
    if (order.isAtomic) return { ...copied, status: 'atomic', state: undefined }
    const moment = fillMoment(order, this.#pools, this.#settings)
    if (typeof moment === 'string') return { ...copied, status: moment, state: undefined }
    const made = order.isBuy ? this.#buy(order, moment) : this.#sell(order, moment)
    return { ...copied, state: undefined, ...made }
  }

  #buy(order: Order, moment: Moment): Partial<Copied> & Pick<Copied, 'status'> {
    const budget = this.ledger.budget(order)
    if (typeof budget === 'string') return { status: budget }
    const trade: Trade = { isBuy: true, lamports: budget }
    const found = priceAt(moment, trade, this.#settings)
    const { state } = found
    if (found.basis === 'none') return { status: `unpriced:${found.reason}`, state }
    if (found.tokens.high === 0n) return { ...this.#failed('empty'), state }
    const missed = this.#slippage(found.tokens, this.#settings.slippageBps, () => {
      const quoted = priceAt(leaderMoment(order, this.#pools), trade, this.#settings)
      return quoted.basis === 'none' ? undefined : quoted.tokens
    })
    if (missed !== undefined) return { ...missed, state }
    const tokens = mapped(found.tokens, (each) => each - withheld(order, each))
    const lamports = found.total
    const fee = this.ledger.buy(order, lamports.high, tokens)
    const outside = found.outside.low
    this.ledger.outsideFees += outside
    const isFeeAssumed = found.outsideSource === 'assumed'
    return { status: found.basis, state, lamports, outside, isFeeAssumed, tokens, fee }
  }

  #sell(order: Order, moment: Moment): Partial<Copied> & Pick<Copied, 'status'> {
    const { tokens, balance } = order
    const covered = least(tokens, balance)
    if (covered <= 0n) return { status: 'uncovered' }
    const sleeve = this.ledger.sleeveOf(order)
    const part = (whole: bigint): bigint =>
      covered === balance ? whole : (whole * covered) / balance
    const given = mapped(sleeve?.held ?? NONE, part)
    if (sleeve === undefined || given.high === 0n) return { status: 'nothing_held' }
    const reached = mapped(given, (each) => each - withheld(order, each))
    const found = this.#proceeds(moment, reached)
    const { state } = found
    if (found.basis === 'none') return { status: `unpriced:${found.reason}`, state }
    const missed = this.#slippage(found.total, this.#settings.sellSlippageBps, () => {
      const quoted = this.#proceeds(leaderMoment(order, this.#pools), reached)
      return quoted.basis === 'none' ? undefined : quoted.total
    })
    if (missed !== undefined) return { ...missed, state }
    const cost = part(sleeve.cost)
    const held = { low: sleeve.held.low - given.low, high: sleeve.held.high - given.high }
    const fee = this.ledger.sell({ ...sleeve, held, cost: sleeve.cost - cost }, found.total)
    this.ledger.outsideFees += found.outside
    const realized = mapped(found.total, (each) => each - cost)
    const { basis, total, outside, isFeeAssumed } = found
    const sold = { state, lamports: total, outside, isFeeAssumed, tokens: given, fee, realized }
    return { status: basis, ...sold }
  }

  #failed(reason: 'slippage' | 'empty'): Pick<Copied, 'status' | 'fee'> {
    return { status: `failed:${reason}`, fee: this.ledger.payFee() }
  }

  /** Undefined: filled. `quoted`: the same trade directly after the leader, only computed where there is a bound. */
  #slippage(outcome: Bounds, slippageBps: bigint, quoted: () => Bounds | undefined) {
    if (slippageBps >= BPS) return undefined
    const quote = quoted()
    if (quote === undefined) return { status: 'unpriced:undetermined' as const }
    // Rounded down: a sale of dust may bring less than its fees.
    const floorOf = (quantity: bigint): bigint => -ceilDivide(-quantity * (BPS - slippageBps), BPS)
    if (outcome.low >= floorOf(quote.high)) return undefined
    if (outcome.high < floorOf(quote.low)) return this.#failed('slippage')
    return { status: 'unpriced:undetermined' as const }
  }

  /** Proceeds of the least and of the most tokens that may be held. */
  #proceeds(moment: Moment, tokens: Bounds): Proceeds | NotPriced {
    const sell = (each: bigint) => priceAt(moment, { isBuy: false, tokens: each }, this.#settings)
    const high = sell(tokens.high)
    if (high.basis === 'none') return high
    const low = tokens.low === tokens.high ? high : sell(tokens.low)
    if (low.basis === 'none') return low
    const basis = low === high ? high.basis : 'bounded'
    const total = { low: low.total.low, high: high.total.high }
    const isFeeAssumed = high.outsideSource === 'assumed'
    return { basis, state: high.state, total, outside: low.outside.low, isFeeAssumed }
  }

  /** Value of each sleeve at the end of the question; `marked`: by the last swap, as nothing prices it. */
  valued(): Valued[] {
    return this.ledger.sleeves().map((sleeve) => ({ sleeve, ...this.#valueOf(sleeve) }))
  }

  #valueOf(sleeve: Sleeve): Omit<Valued, 'sleeve'> {
    const { toSlot: slot } = this.#settings
    const own = this.#pools.get(poolKey(sleeve.pair, sleeve.mint))
    if (own === undefined) throw new RangeError(`pool "${sleeve.pair}" was not read`)
    const isClosed = own.closed !== undefined && own.closed.slot <= slot
    const pool = isClosed ? this.#pools.get(own.closed?.successor ?? '') : own
    if (pool !== undefined && pool.slots.length > 0) {
      const found = this.#proceeds({ pool, slot }, sleeve.held)
      if (found.basis !== 'none') return { priced: found.basis, value: found.total }
    }
    const swaps = (pool?.slots.length ? pool : own).slots.flatMap((each) => each.swaps)
    const last = swaps.findLast(({ tokenAmount }) => BigInt(tokenAmount) > 0n)
    const [sol, tokens] = [BigInt(last?.solAmount ?? 0), BigInt(last?.tokenAmount ?? 1)]
    return {
      priced: 'marked',
      value: { low: 0n, high: ceilDivide(sleeve.held.high * sol, tokens) },
    }
  }
}

type Proceeds = {
  basis: Priced['basis']
  state: Swap
  total: Bounds
  /** By the low ledger. */
  outside: bigint
  isFeeAssumed: boolean
}
export type Valued = {
  readonly sleeve: Sleeve
  readonly priced: Priced['basis'] | 'marked'
  readonly value: Bounds
}

/** The transfer fee of the mint, at the rate of the leader's swap. */
function withheld({ main }: Order, tokens: bigint): bigint {
  const leg = BigInt(main.tokenAmount)
  const fee = BigInt(main.isBuy ? main.transferFeeOut : main.transferFeeIn)
  return fee === 0n ? 0n : ceilDivide(tokens * fee, main.isBuy ? leg : leg + fee)
}

const mapped = ({ low, high }: Bounds, figure: (value: bigint) => bigint): Bounds => ({
  low: figure(low),
  high: figure(high),
})
