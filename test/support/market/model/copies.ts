// Copies of leaders by the second model: docs/semantics.md#copying-wallets.

import { compareSwaps, type Swap } from '../../../../domain/events/swap.ts'
import type { CopySettings } from '../../../../domain/market/copy/settings.ts'
import { type ModelFees, type ModelMoment, modelQuote } from './quotes.ts'
import { down, legsOf, lower, type ModelPool, type Range, slotsOf, up } from './slots.ts'

type ModelTrade = {
  copies: string
  mint: string
  status: string
  /** Signature and index of the swap whose state it met, empty where there is none. */
  state: string
  lamports: Range
  tokens: Range
  fee: bigint
  realized: Range | undefined
}
type Order = {
  leader: string
  mint: string
  isBuy: boolean
  isAtomic: boolean
  balance: bigint
  main: Swap
  first: Swap
  lamports: bigint
  tokens: bigint
}
type Sleeve = { leader: string; mint: string; pool: string; held: Range; cost: bigint }

const BPS = 10_000n
const ZERO: Range = [0n, 0n]
const poolName = ({ pairAddress, tokenAddress }: Swap): string => `${pairAddress} ${tokenAddress}`

/** Base units that arrived at the wallet or left it. */
const quantityOf = (swap: Swap): bigint =>
  swap.isBuy
    ? BigInt(swap.tokenAmount) - BigInt(swap.transferFeeOut)
    : BigInt(swap.tokenAmount) + BigInt(swap.transferFeeIn)

const sum = (each: readonly bigint[]): bigint => each.reduce((total, one) => total + one, 0n)

function ordersOf(swaps: readonly Swap[]): Order[] {
  const orders: Order[] = []
  const balances = new Map<string, bigint>()
  const named = swaps.toSorted(compareSwaps).map((swap) => ({
    swap,
    holder: `${swap.user} ${swap.tokenAddress}`,
  }))
  const seen = new Set<Swap>()
  for (const { swap: first, holder } of named) {
    if (seen.has(first)) continue
    const own = named
      .filter((each) => each.holder === holder && each.swap.signature === first.signature)
      .map(({ swap }) => swap)
    const balance = balances.get(holder) ?? 0n
    let left = balance
    for (const swap of own) {
      seen.add(swap)
      const moved = quantityOf(swap)
      left = swap.isBuy ? left + moved : left - lower(moved, left)
    }
    balances.set(holder, left)
    orders.push({
      ...{ leader: first.user, mint: first.tokenAddress, isBuy: first.isBuy, first, balance },
      isAtomic: new Set(own.map(({ isBuy }) => isBuy)).size > 1,
      main: own.reduce((most, swap) => (legsOf(swap)[0] > legsOf(most)[0] ? swap : most)),
      lamports: sum(own.map((swap) => legsOf(swap)[0])),
      tokens: sum(own.map(quantityOf)),
    })
  }
  return orders.sort((a, b) => compareSwaps(a.first, b.first))
}

type Fill = { pool: ModelPool; moment: ModelMoment; own: ModelPool; leader: ModelMoment }

export class CopyModel {
  readonly #pools: ReadonlyMap<string, ModelPool>
  readonly #settings: CopySettings
  readonly #fees: ModelFees
  #sleeves: Sleeve[] = []
  #spent = 0n
  #proceeds: Range = ZERO
  #paid = 0n
  #deepest = 0n
  readonly trades: ModelTrade[] = []

  constructor(pools: ReadonlyMap<string, ModelPool>, settings: CopySettings) {
    const { assumedFeeBps: assumed, extraFeeBps: extra, toSlot } = settings
    this.#pools = pools
    this.#settings = settings
    this.#fees = { assumed, extra, toSlot }
  }

  run(history: readonly Swap[]): this {
    const { fromSlot, toSlot } = this.#settings
    const known = history.filter(({ slot }) => slot <= toSlot)
    for (const order of ordersOf(known)) if (order.main.slot >= fromSlot) this.#take(order)
    return this
  }

  figures() {
    const value = this.#sleeves.map((sleeve) => this.#valueOf(sleeve))
    const worth = [0, 1].map((side) => sum(value.map((each) => each[side]!)))
    const rent = this.#rent()
    const costs = this.#spent + this.#paid + rent
    return {
      ...{ spent: this.#spent, paid: this.#paid, rent, deepest: this.#deepest },
      pnl: [0, 1].map((side) => this.#proceeds[side]! + worth[side]! - costs),
      value: worth,
    }
  }

  #take(order: Order): void {
    const fill = order.isAtomic ? 'atomic' : this.#fillOf(order)
    if (typeof fill === 'string') this.#note(order, fill)
    else if (order.isBuy) this.#buy(order, fill)
    else this.#sell(order, fill)
  }

  #fillOf({ main, isBuy }: Order): Fill | 'after_end' | 'pool_closed' {
    const { delaySlots, position, toSlot } = this.#settings
    const slot = main.slot + delaySlots
    if (slot > toSlot) return 'after_end'
    const own = this.#pools.get(poolName(main))!
    const leader = { slot: main.slot, within: main.signature }
    const isDirect = position === 'start' && delaySlots === 0
    const end = position === 'start' && !isDirect ? slot - 1 : slot
    const moment = isDirect ? leader : { slot: end, since: main.slot }
    if (own.closed === undefined || own.closed.slot > slot) {
      return { pool: own, moment, own, leader }
    }
    const next = this.#pools.get(own.closed.successor)
    const hasTraded = next?.swaps.some((swap) => swap.slot <= end) === true
    if (isBuy || next === undefined || !hasTraded) return 'pool_closed'
    return { pool: next, moment: { slot: end, since: main.slot }, own, leader }
  }

  #buy(order: Order, { pool, moment, own, leader }: Fill): undefined {
    const budget = this.#budget(order)
    if (typeof budget === 'string') return this.#note(order, budget)
    const wanted = { isBuy: true, input: budget }
    const found = modelQuote(pool, moment, wanted, this.#fees)
    if ('reason' in found) return this.#note(order, `unpriced:${found.reason}`, found.state)
    if (found.tokens[1] === 0n) return this.#fail(order, 'failed:empty', found.state)
    const missed = this.#missed(found.tokens, this.#settings.slippageBps, () => {
      const quoted = modelQuote(own, leader, wanted, this.#fees)
      return 'reason' in quoted ? undefined : quoted.tokens
    })
    if (missed === 'failed:slippage') return this.#fail(order, missed, found.state)
    if (missed !== undefined) return this.#note(order, missed, found.state)
    const { transferFeeOut, tokenAmount } = order.main
    const arrived = found.tokens.map(
      (each) => each - up(each * BigInt(transferFeeOut), BigInt(tokenAmount)),
    ) as [bigint, bigint]
    const before = this.#sleeveOf(order)
    const spent = found.total[1]
    this.#spent += spent
    this.#store(before, {
      ...{ leader: order.leader, mint: order.mint, pool: poolName(order.main) },
      held: [(before?.held[0] ?? 0n) + arrived[0], (before?.held[1] ?? 0n) + arrived[1]],
      cost: (before?.cost ?? 0n) + spent,
    })
    const fee = this.#pay()
    this.#note(order, found.basis, found.state, { lamports: found.total, tokens: arrived, fee })
  }

  #budget({ leader, mint, lamports }: Order): bigint | string {
    const { leaderMin, leaderMax, repeatBuys, openMax, size, capital } = this.#settings
    const { tradeMin, tradeMax, tokenMax } = this.#settings
    if (lamports < leaderMin || lamports > (leaderMax ?? lamports)) return 'leader_size'
    const isHeld = this.#sleeves.some((each) => each.leader === leader && each.mint === mint)
    if (isHeld && !repeatBuys) return 'repeat'
    if (!isHeld && this.#sleeves.length === openMax) return 'limit_open'
    const ofMint = this.#sleeves.filter((each) => each.mint === mint)
    let budget = 'lamports' in size ? size.lamports : down(lamports * size.ratioPpm, 1_000_000n)
    if (tradeMax !== undefined) budget = lower(budget, tradeMax)
    if (tokenMax !== undefined) budget = lower(budget, tokenMax - sum(ofMint.map((s) => s.cost)))
    if (capital !== undefined) {
      const rent = ofMint.length > 0 ? 0n : this.#settings.rent
      budget = lower(budget, capital - this.#out() - this.#fee() - rent)
    }
    return budget <= 0n || budget < tradeMin ? 'too_small' : budget
  }

  #sell(order: Order, { pool, moment, own, leader }: Fill): undefined {
    const { tokens, balance, main } = order
    const covered = lower(tokens, balance)
    if (covered <= 0n) return this.#note(order, 'uncovered')
    const sleeve = this.#sleeveOf(order)
    const part = (whole: bigint) => (covered === balance ? whole : down(whole * covered, balance))
    const given: Range = [part(sleeve?.held[0] ?? 0n), part(sleeve?.held[1] ?? 0n)]
    if (sleeve === undefined || given[1] === 0n) return this.#note(order, 'nothing_held')
    const fee = BigInt(main.transferFeeIn)
    const reached = (each: bigint) => each - up(each * fee, BigInt(main.tokenAmount) + fee)
    const sent: Range = [reached(given[0]), reached(given[1])]
    const found = this.#sold(pool, moment, sent)
    if ('reason' in found) return this.#note(order, `unpriced:${found.reason}`, found.state)
    const missed = this.#missed(found.total, this.#settings.sellSlippageBps, () => {
      const quoted = this.#sold(own, leader, sent)
      return 'reason' in quoted ? undefined : quoted.total
    })
    if (missed === 'failed:slippage') return this.#fail(order, missed, found.state)
    if (missed !== undefined) return this.#note(order, missed, found.state)
    const cost = part(sleeve.cost)
    const { total } = found
    this.#proceeds = [this.#proceeds[0] + total[0], this.#proceeds[1] + total[1]]
    const held: Range = [sleeve.held[0] - given[0], sleeve.held[1] - given[1]]
    this.#store(sleeve, { ...sleeve, held, cost: sleeve.cost - cost })
    const realized: Range = [total[0] - cost, total[1] - cost]
    const made = { lamports: total, tokens: given, fee: this.#pay(), realized }
    this.#note(order, found.basis, found.state, made)
  }

  #sold(pool: ModelPool, moment: ModelMoment, [low, high]: Range) {
    const ofHigh = modelQuote(pool, moment, { isBuy: false, input: high }, this.#fees)
    if (low === high || 'reason' in ofHigh) return ofHigh
    const ofLow = modelQuote(pool, moment, { isBuy: false, input: low }, this.#fees)
    if ('reason' in ofLow) return ofLow
    const total: Range = [ofLow.total[0], ofHigh.total[1]]
    return { ...ofHigh, basis: 'bounded' as const, total }
  }

  #missed([low, high]: Range, bps: bigint, quoted: () => Range | undefined): string | undefined {
    if (bps === BPS) return undefined
    const quote = quoted()
    if (quote === undefined) return 'unpriced:undetermined'
    const [floorOfLow, floorOfHigh] = quote.map((each) => down(each * (BPS - bps), BPS))
    if (low >= floorOfHigh!) return undefined
    return high < floorOfLow! ? 'failed:slippage' : 'unpriced:undetermined'
  }

  #valueOf({ pool: name, held }: Sleeve): Range {
    const { toSlot } = this.#settings
    const own = this.#pools.get(name)!
    const isClosed = own.closed !== undefined && own.closed.slot <= toSlot
    const next = isClosed ? this.#pools.get(own.closed?.successor ?? '') : own
    const hasTraded = next?.swaps.some(({ slot }) => slot <= toSlot) === true
    if (next !== undefined && hasTraded) {
      const found = this.#sold(next, { slot: toSlot }, held)
      if (!('reason' in found)) return found.total
    }
    const traded = (hasTraded ? next! : own).swaps.filter(({ slot }) => slot <= toSlot)
    const [sol, tokens] = legsOf(slotsOf(traded).at(-1)!.swaps.at(-1)!)
    return [0n, up(held[1] * sol, tokens)]
  }

  #sleeveOf({ leader, mint }: Order): Sleeve | undefined {
    return this.#sleeves.find((each) => each.leader === leader && each.mint === mint)
  }

  #store(before: Sleeve | undefined, after: Sleeve): void {
    this.#sleeves = this.#sleeves.filter((each) => each !== before)
    if (after.held[1] > 0n) this.#sleeves.push(after)
  }

  #rent(): bigint {
    return BigInt(new Set(this.#sleeves.map(({ mint }) => mint)).size) * this.#settings.rent
  }

  #fee(): bigint {
    return this.#settings.baseFee + this.#settings.priorityFee
  }

  #out(): bigint {
    return this.#spent + this.#paid + this.#rent() - this.#proceeds[0]
  }

  #pay(): bigint {
    this.#paid += this.#fee()
    if (this.#out() > this.#deepest) this.#deepest = this.#out()
    return this.#fee()
  }

  #fail(order: Order, status: string, state: Swap): undefined {
    this.#note(order, status, state, { fee: this.#pay() })
  }

  #note(
    { main, mint }: Order,
    status: string,
    state?: Swap,
    made: Partial<ModelTrade> = {},
  ): undefined {
    this.trades.push({
      ...{ copies: main.signature, mint, status },
      state: state === undefined ? '' : `${state.signature} ${state.ixIndex}`,
      ...{ lamports: ZERO, tokens: ZERO, fee: 0n, realized: undefined },
      ...made,
    })
  }
}
