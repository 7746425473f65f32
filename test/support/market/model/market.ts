// Markets of a few pools of any venue, with what real histories have: dust, several swaps of one transaction, swaps that no formula makes,
// slots without indexes, changes of liquidity with and without amounts, fees of the mint, migrations and slots that were not read.

import { int64 } from '../../../../domain/amount.ts'
import type { PoolEvent } from '../../../../domain/events/pool-event.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import type { DexId } from '../../../../domain/venue.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../sample-swap.ts'
import { type Formula, formulasOf } from './formulas.ts'
import { type ModelPool, type Pair, up } from './slots.ts'

const FIRST_SLOT = 1_000
const FIRST_MS = Date.UTC(2026, 6, 20)
const DECIMALS = 6
/** Numbers between the names of two markets. */
const APART = 100
const DEXES: readonly DexId[] = [1, 1, 2, 2, 3, 5, 5, 4, 7, 8, 10]
/** Venues whose formula is hidden trade by that of venue 5. */
const HIDDEN_FEE_BPS = 25

/** Repeatable draws. */
export class Draw {
  #state: number
  constructor(seed: number) {
    this.#state = seed >>> 0
    for (let warm = 0; warm < 3; warm++) this.below(2)
  }

  below(count: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((this.#state / 2 ** 32) * count)
  }

  /** True once in so many times. */
  once(times: number): boolean {
    return this.below(times) === 0
  }

  pick<One>(list: readonly One[]): One {
    return list[this.below(list.length)]!
  }

  /** A number whose magnitude is drawn evenly. */
  size(from: number, to: number): bigint {
    const share = this.below(1_000_000) / 1_000_000
    return BigInt(Math.floor(Math.exp(Math.log(from) + share * (Math.log(to) - Math.log(from)))))
  }
}

type PoolNames = { number: number; mintNumber: number }

class MadePool {
  readonly number: number
  readonly mintNumber: number
  readonly dex: DexId
  readonly hidden: bigint
  readonly swaps: Swap[] = []
  readonly events: PoolEvent[] = []
  readonly #feeBps: number
  readonly #statesHidden: boolean
  readonly #hasPrices: boolean
  readonly #taxBps: bigint
  readonly #draw: Draw
  #at: Pair
  #real: Pair
  closed: ModelPool['closed'] = undefined

  constructor(draw: Draw, { number, mintNumber }: PoolNames, taxBps: bigint) {
    this.#draw = draw
    this.number = number
    this.mintNumber = mintNumber
    this.#taxBps = taxBps
    this.dex = draw.pick(DEXES)
    this.#feeBps = draw.pick(this.dex === 5 ? [0, 0, 25, 100] : [0, 25, 95])
    this.hidden = this.dex === 2 ? draw.pick([0n, 0n, 17_580_000_000n, 5_000n]) : 0n
    this.#statesHidden = draw.once(2) || this.hidden === 5_000n
    this.#hasPrices = draw.once(2)
    this.#at = [draw.size(1_000, 1e12), draw.size(1_000, 1e15)]
    this.#real = this.dex === 1 ? [this.#at[0] / 2n, (this.#at[1] * 8n) / 10n] : this.#at
  }

  /** Time of a migration from which on pools of the venue hold lamports that they do not report. */
  get migratedAtMs(): number | undefined {
    return this.hidden > 0n && !this.#statesHidden ? FIRST_MS : undefined
  }

  get #formula(): Formula {
    const isHidden = formulasOf(sampleSwap({ dex: this.dex, feeBps: 1 })).length === 0
    const feeBps =
      isHidden || (this.dex === 5 && this.#feeBps === 0) ? HIDDEN_FEE_BPS : this.#feeBps
    return formulasOf(sampleSwap({ dex: isHidden ? 5 : this.dex, feeBps }))[0]!
  }

  /** `held`: tokens of the wallet. */
  trade(held: bigint, stamp: Partial<Swap>): Swap | undefined {
    const draw = this.#draw
    const isBuy = draw.below(10) < (held === 0n ? 8 : 5)
    let [sol, tokens] = isBuy ? this.#bought() : this.#sold(held)
    if (draw.once(12)) tokens = (tokens * 97n) / 100n + 1n
    const sign = isBuy ? 1n : -1n
    const at: Pair = [this.#at[0] + sign * sol, this.#at[1] - sign * tokens]
    const real: Pair = [this.#real[0] + sign * sol, this.#real[1] - sign * tokens]
    if (tokens <= 0n || [...at, ...real].some((left) => left < 0n) || at[0] === 0n) return undefined
    this.#at = at
    this.#real = real
    const swap = this.#swapOf(isBuy, [sol, tokens], stamp)
    this.swaps.push(swap)
    return swap
  }

  #bought(): Pair {
    const draw = this.#draw
    const at: Pair = [this.#at[0] + this.hidden, this.#at[1]]
    const lamports = draw.once(10)
      ? BigInt(1 + draw.below(50))
      : draw.size(100, Number(at[0]) + 101)
    const [sol, tokens] = this.#formula.buy(lamports, at, this.#real)
    const exactOut = tokens > 0n && draw.once(5) ? this.#formula.cost(tokens, at) : undefined
    const slack = this.dex <= 2 && draw.once(6) ? 1n : 0n
    return [exactOut ?? sol + slack, tokens]
  }

  #sold(held: bigint): Pair {
    const draw = this.#draw
    const [sol, depth] = this.#at
    const part = draw.once(2) ? held : held / BigInt(2 + draw.below(3)) + 1n
    const own = held > 0n && draw.below(10) < 8 ? part : draw.size(1, Number(depth) + 2)
    // Two wallets that trade one quantity are linked by it.
    const other = draw.once(4) ? this.swaps.slice(-5).find(({ isBuy }) => isBuy) : undefined
    const tokens = other === undefined ? own : BigInt(other.tokenAmount)
    return [this.#formula.proceeds(tokens, [sol + this.hidden, depth], this.#real), tokens]
  }

  #swapOf(isBuy: boolean, [sol, tokens]: Pair, stamp: Partial<Swap>): Swap {
    const tax = int64(up(tokens * this.#taxBps, 10_000n))
    const [isCurve, isBare] = [this.dex === 1, this.dex === 10]
    const isStated = isCurve || this.dex === 8
    const price = Number(this.#at[0]) / Number(this.#at[1]) / 10 ** (9 - DECIMALS)
    const sign = isBuy ? 1n : -1n
    const priceBefore =
      Number(this.#at[0] - sign * sol) / Number(this.#at[1] + sign * tokens) / 10 ** (9 - DECIMALS)
    const fee = (bps: number) => int64(isStated ? up(sol * BigInt(bps), 10_000n) : 0n)
    return sampleSwap({
      ...{ dex: this.dex, isBuy, quoteDecimals: DECIMALS, pairAddress: pair(this.number) },
      ...{ tokenAddress: mint(this.mintNumber), solAmount: int64(sol), tokenAmount: int64(tokens) },
      ...{ feeBps: this.#feeBps, creatorFeeBps: isStated ? 30 : 0 },
      ...{ fee: fee(this.#feeBps), creatorFee: fee(30) },
      ...{ transferFeeOut: isBuy ? tax : 0, transferFeeIn: isBuy ? 0 : tax },
      virtualSolReserves: isCurve ? int64(this.#at[0]) : 0,
      virtualTokenReserves: isCurve ? int64(this.#at[1]) : 0,
      realSolReserves: isBare ? 0 : int64(this.#real[0]),
      realTokenReserves: isBare ? 0 : int64(this.#real[1]),
      priceAfter: this.#hasPrices && this.dex > 3 ? price : undefined,
      priceBefore: this.#hasPrices && this.dex > 6 ? priceBefore : undefined,
      virtualQuoteReserves: this.#statesHidden && this.dex === 2 ? int64(this.hidden) : undefined,
      ...stamp,
    })
  }

  changeLiquidity(stamp: Pick<Swap, 'signature' | 'slot' | 'timestamp' | 'blockTxIndex'>): void {
    const draw = this.#draw
    const isAdded = draw.below(10) < 6
    const sign = isAdded ? 1n : -1n
    const [sol, tokens] = this.#at
    const parts: Pair = [draw.size(1, Number(sol) / 4 + 2), draw.size(1, Number(tokens) / 4 + 2)]
    if (this.dex === 1 || sol <= parts[0] || tokens <= parts[1]) return
    this.#at = [sol + sign * parts[0], tokens + sign * parts[1]]
    this.#real = this.#at
    const stated = { solAmount: int64(parts[0]), tokenAmount: int64(parts[1]) }
    this.events.push({
      ...{ ...stamp, event: isAdded ? 'liquidity_added' : 'liquidity_removed', ixIndex: 0 },
      ...{ pairAddress: pair(this.number), tokenAddress: mint(this.mintNumber), dex: this.dex },
      ...(draw.below(10) < 7 ? stated : {}),
    })
  }
}

/** `number`: markets of different ones have no name, slot or signature in common. */
type MarketOptions = { steps: number; wallets: number; number?: number }

export function madeMarket(seed: number, { steps, wallets, number = 0 }: MarketOptions) {
  const draw = new Draw(seed)
  const taxes = Array.from({ length: 5 }, () => draw.pick([0n, 0n, 0n, 100n, 10_000n]))
  const pools = Array.from({ length: 1 + draw.below(4) }, (_, n) => {
    const mintNumber = draw.once(2) ? 0 : n + 1
    const names = { number: number * APART + n + 1, mintNumber: number * APART + mintNumber }
    return new MadePool(draw, names, taxes[mintNumber]!)
  })
  const swaps: Swap[] = []
  const held = new Map<string, bigint>()
  const firstSlot = FIRST_SLOT * (number + 1)
  let [slot, transaction, hasIndexes] = [firstSlot, 0, true]
  for (let step = 0; step < steps; step++) {
    if (draw.below(20) < 9) {
      slot += draw.once(50) ? 70 : 1 + draw.below(3)
      transaction = 0
      hasIndexes = !draw.once(5)
    }
    transaction += 1 + draw.below(3)
    const pool = draw.pick(pools)
    const signature = signatureOf(number * 10_000 + step + 1)
    const blockTxIndex = hasIndexes ? transaction : 0
    const stamp = { signature, slot, timestamp: FIRST_MS + slot * 400, blockTxIndex }
    if (pool.closed !== undefined) continue
    if (draw.once(16)) pool.changeLiquidity(stamp)
    else if (draw.once(40)) closeCurve(pool, pools, slot)
    const user = trader(number * APART + draw.below(wallets))
    const parts = draw.once(16) ? 2 + draw.below(2) : 1
    for (let part = 0; part < parts; part++) {
      const of = part === 0 || draw.once(2) ? pool : draw.pick(pools)
      const name = `${user} ${of.mintNumber}`
      if (of.closed !== undefined) continue
      const ixIndex = hasIndexes ? part : 0
      const swap = of.trade(held.get(name) ?? 0n, { ...stamp, user, ixIndex })
      if (swap === undefined) continue
      swaps.push(swap)
      const moved = BigInt(swap.tokenAmount) - BigInt(swap.transferFeeOut)
      const left = (held.get(name) ?? 0n) + (swap.isBuy ? moved : -moved)
      held.set(name, left > 0n ? left : 0n)
    }
  }
  return {
    swaps,
    pools: new Map(pools.map((pool) => [nameOf(pool), modelOf(pool, firstSlot, draw)])),
    draw,
  }
}

const nameOf = ({ number, mintNumber }: MadePool): string => `${pair(number)} ${mint(mintNumber)}`

/** Liquidity of a curve moves to another pool of its mint, if there is one. */
function closeCurve(pool: MadePool, pools: readonly MadePool[], slot: number): void {
  const next = pools.find(
    (each) => each !== pool && each.mintNumber === pool.mintNumber && each.dex !== 1,
  )
  if (pool.dex === 1 && next !== undefined) pool.closed = { slot, successor: nameOf(next) }
}

function modelOf(
  { swaps, events, migratedAtMs, closed }: MadePool,
  firstSlot: number,
  draw: Draw,
): ModelPool {
  const from = firstSlot + draw.below(20)
  const gaps = draw.once(8) ? [{ from, to: from + draw.below(5) }] : []
  return { swaps, events, migratedAtMs, closed, gaps }
}
