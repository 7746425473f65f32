/**
 * The market: a roster of pools for each venue, a crowd, and the events from slot to slot. One step is one event: a
 * trade, a launch, a listing, a change of liquidity. All state is bounded: rosters by their capacity, holders by the
 * mint, dead pools are forgotten with their mints.
 */
import type { Int64 } from '../../domain/amount.ts'
import { int64, LAMPORTS_PER_SOL, powerOfTen } from '../../domain/amount.ts'
import { type DexId, type SimulatedPart, VENUES } from '../../domain/venue.ts'
import type { Bots } from './bots.ts'
import { Crowd, type Wallet } from './cast/wallets.ts'
import type { Mint, Pool } from './listing.ts'
import { drawDecimals, drawMint, SECTORS } from './mint.ts'
import { openLaunch, openListing, openMigrated } from './pool.ts'
import type { Prng } from './prng.ts'
import { dollarMints, SolUsd } from './quotes.ts'
import { Roster } from './roster.ts'
import type { SlotClock } from './tape/slot-clock.ts'
import type { Tape } from './tape/tape.ts'
import { Trades } from './trades.ts'
import { BondingCurve, CURVE_DECIMALS } from './venues/curve.ts'
import type { Reserves } from './venues/mechanism.ts'

type Part = SimulatedPart & { readonly dex: DexId }

const PARTS: readonly Part[] = VENUES.flatMap(({ dex, simulated }) =>
  simulated === undefined ? [] : [{ dex, ...simulated }],
)
/** Venues on which tokens are launched: each has an agent, a price and a share of its own. */
const LAUNCH_VENUES = [1, 8] as const
type LaunchVenue = (typeof LAUNCH_VENUES)[number]
const isLaunch = (dex: DexId): dex is LaunchVenue =>
  (LAUNCH_VENUES as readonly DexId[]).includes(dex)
/** Venues on which a token that already trades may get another pool. */
const LISTING_VENUES = PARTS.map(({ dex }) => dex).filter((dex) => !isLaunch(dex))
const DOLLAR_VENUES = [3, 4, 5] as const

/** How often a step is something else than a trade. */
const LAUNCH_SHARE = { 1: 1 / 150, 8: 1 / 600 } as const
const LISTING_SHARE = 1 / 1000
const LIQUIDITY_SHARE = 1 / 300
/** Bound of launches from before the first slot: below the 85 and 132 SOL at which they are sold out. */
const SOLD_SOL_MAX = { 1: 80, 8: 128 } as const
const HOT_SHARE = 0.3
const POOLS_OF_MINT_MAX = 4
/** A pool that left this band around its opening price is dead. */
const DEAD_PRICE_FACTOR = 100
/** SOL that a sold-out launch takes to its pool on venue 3. */
const GRADUATION_SOL = 60
/** Cost of a step without a swap, in swaps of the slot: bounds the steps of a slot. */
const IDLE_STEP_COST = 0.1

type Snipe = { readonly slot: number; readonly pool: Pool }

export class Market {
  readonly #prng: Prng
  readonly #tape: Tape
  readonly #clock: SlotClock
  readonly #crowd: Crowd
  readonly #solUsd: SolUsd
  readonly #trades: Trades
  readonly #bots: Bots | undefined
  readonly #rosters = new Map<DexId, Roster>()
  #snipes: Snipe[] = []
  /** Swaps that may still happen in this slot. */
  #credit = 0

  constructor(prng: Prng, tape: Tape, clock: SlotClock, bots?: Bots) {
    this.#prng = prng
    this.#tape = tape
    this.#clock = clock
    this.#crowd = new Crowd(prng)
    this.#solUsd = new SolUsd(prng)
    this.#bots = bots
    this.#trades = new Trades(
      prng,
      this.#crowd,
      this.#solUsd,
      tape,
      bots && ((...given) => bots.attack(...given)),
    )
    for (const { dex, poolsMax } of PARTS) this.#rosters.set(dex, new Roster(prng, poolsMax))
    this.#openDollars()
    for (const { dex, poolsAtStart } of PARTS) {
      if (isLaunch(dex)) this.#openLaunched(dex, poolsAtStart)
    }
    for (const { dex, poolsAtStart } of PARTS) {
      if (!isLaunch(dex)) this.#openNatives(dex, poolsAtStart)
    }
  }

  #openDollars(): void {
    for (const mint of dollarMints()) {
      for (const dex of DOLLAR_VENUES) {
        const price = this.#solUsd.lamportsPerUnit()
        const depthSol = this.#prng.spread(4000, 9000)
        this.#roster(dex).pin(openListing(this.#prng, { dex, mint, price, depthSol }))
      }
    }
  }

  /** Launches from before the first slot, sold in part. */
  #openLaunched(dex: LaunchVenue, count: number): void {
    for (let opened = 0; opened < count; opened++) {
      const { mint, isHot } = this.#drawLaunch(dex)
      const pool = openLaunch(this.#prng, dex, mint, isHot)
      const soldSol = this.#prng.spread(5, SOLD_SOL_MAX[dex])
      pool.mechanism.buy(BigInt(Math.floor(soldSol * LAMPORTS_PER_SOL)))
      this.#roster(dex).insert(pool, isHot)
    }
  }

  #drawLaunch(dex: LaunchVenue): { mint: Mint; isHot: boolean } {
    const creator = this.#crowd.creator()
    const decimals = dex === 1 ? CURVE_DECIMALS : drawDecimals(this.#prng)
    const transferFeeBps = dex === 8 && this.#prng.chance(0.1) ? 50 : 0
    const mint = drawMint(this.#prng, creator, decimals, transferFeeBps)
    return { mint, isHot: this.#prng.chance(HOT_SHARE) }
  }

  /** Pools from before the first slot; half of their mints trade in a second pool as well. */
  #openNatives(dex: DexId, count: number): void {
    for (let opened = 0; opened < count; opened++) {
      const { mint, price } = this.#drawNative()
      const depthSol = this.#prng.spread(50, 5000)
      const first = openListing(this.#prng, { dex, mint, price, depthSol })
      this.#roster(dex).insert(first, false)
      if (this.#prng.chance(0.5)) continue
      const otherDex = this.#prng.chance(0.3) ? dex : this.#prng.pick(LISTING_VENUES)
      const listing = { dex: otherDex, mint, price, depthSol: depthSol / 2 }
      this.#roster(otherDex).insert(openListing(this.#prng, listing), false)
    }
  }

  /** A token of 2,000 to 2,000,000 SOL of market capitalization that did not come from a launch. */
  #drawNative(): { mint: Mint; price: number } {
    const decimals = drawDecimals(this.#prng)
    const transferFeeBps = this.#prng.chance(0.12) ? this.#prng.pick([25, 50, 100]) : 0
    const mint = drawMint(this.#prng, this.#crowd.creator(), decimals, transferFeeBps)
    // With 1,000,000,000 tokens, lamports a token are SOL for all of them.
    const price = this.#prng.spread(2000, 2_000_000) / powerOfTen(decimals)
    mint.anchorPrice = price * this.#prng.spread(1, 1.3)
    return { mint, price }
  }

  #roster(dex: DexId): Roster {
    return this.#rosters.get(dex)!
  }

  /** One happening, in the next slot when this one is full. */
  step(): void {
    if (this.#credit < 1) {
      this.#nextSlot()
      return
    }
    const before = this.#tape.swapCount
    this.#happen()
    this.#credit -= Math.max(this.#tape.swapCount - before, IDLE_STEP_COST)
  }

  #nextSlot(): void {
    this.#tape.nextSlot()
    this.#solUsd.nextSlot()
    this.#credit += this.#clock.swapsPerSlot * (0.5 + this.#prng.unit())
    const before = this.#tape.swapCount
    const due = this.#snipes.filter((snipe) => snipe.slot <= this.#tape.slot)
    if (due.length > 0) this.#snipes = this.#snipes.filter((snipe) => !due.includes(snipe))
    for (const { pool } of due) this.#snipe(pool)
    for (const pool of this.#bots?.nextSlot(this.#trades) ?? []) this.#settle(pool)
    this.#credit -= this.#tape.swapCount - before
  }

  #happen(): void {
    if (this.#prng.chance(LAUNCH_SHARE[1])) this.#launch(1)
    else if (this.#prng.chance(LAUNCH_SHARE[8])) this.#launch(8)
    else if (this.#prng.chance(LISTING_SHARE)) this.#list()
    else if (this.#prng.chance(LIQUIDITY_SHARE)) this.#changeLiquidity()
    else this.#trade(this.#drawDex())
  }

  #drawDex(): DexId {
    let left = this.#prng.unit()
    for (const { dex, tradeShare } of PARTS) {
      left -= tradeShare
      if (left < 0) return dex
    }
    return 2
  }

  #trade(dex: DexId): void {
    const pool = this.#roster(dex).draw()
    if (pool === undefined) return
    this.#trades.trade(pool)
    this.#bots?.makeVolume(this.#trades, pool)
    this.#trades.arbitrage(pool)
    this.#settle(pool)
  }

  /** After trades: a sold-out curve migrates, a dead pool is removed, the crowd's idea of a price drifts. */
  #settle(pool: Pool): void {
    const { mint, mechanism } = pool
    if (mechanism.isSoldOut?.()) this.#graduate(pool)
    if (mint.anchorPrice === undefined) return
    mint.anchorPrice *= 1 + 0.004 * (this.#prng.unit() - 0.5)
    const factor = mechanism.price() / pool.openingPrice
    if (factor > DEAD_PRICE_FACTOR || factor < 1 / DEAD_PRICE_FACTOR) {
      this.#roster(pool.dex).remove(pool)
    }
  }

  #graduate(pool: Pool): void {
    const { mint, mechanism } = pool
    this.#roster(pool.dex).remove(pool)
    mint.anchorPrice = mechanism.price() * this.#prng.spread(0.5, 2)
    if (mechanism instanceof BondingCurve) {
      this.#migrate(pool, mechanism)
    } else {
      const price = mechanism.price()
      this.#openListed(openListing(this.#prng, { dex: 3, mint, price, depthSol: GRADUATION_SOL }))
    }
  }

  #migrate(curve: Pool, mechanism: BondingCurve): void {
    const { mint } = curve
    const migration = openMigrated(this.#prng, mechanism, mint, this.#tape.timestamp)
    this.#tape.nextTransaction()
    this.#tape.poolEvent({
      event: 'migrated',
      pool: migration.pool,
      wallet: creatorOf(mint),
      fromPair: curve.pairAddress,
      sol: int64(migration.sol),
      token: int64(migration.token),
    })
    if (mint.sector === undefined && this.#prng.chance(0.5)) {
      mint.sector = this.#prng.pick(SECTORS)
      this.#tape.sector(mint, mint.sector)
    }
    this.#roster(2).insert(migration.pool, true)
  }

  /** A new token with its pool, mostly bought by its creator at once and by snipers right after. */
  #launch(dex: LaunchVenue): void {
    const { mint, isHot } = this.#drawLaunch(dex)
    const creator = creatorOf(mint)
    const pool = openLaunch(this.#prng, dex, mint, isHot)
    this.#tape.token(mint)
    this.#tape.nextTransaction()
    this.#tape.poolEvent({ event: 'created', pool, wallet: creator })
    this.#roster(dex).insert(pool, isHot)
    if (this.#prng.chance(0.8)) {
      this.#trades.buy(pool, creator, this.#prng.spread(1e8, 3e9), 'same')
    }
    if (isHot) this.#bots?.launched(pool)
    const snipers = this.#prng.between(0, isHot ? 5 : 2)
    for (let sniper = 0; sniper < snipers; sniper++) {
      const delay = this.#prng.below(4)
      if (delay === 0) this.#snipe(pool)
      else this.#snipes.push({ slot: this.#tape.slot + delay, pool })
    }
  }

  #snipe(pool: Pool): void {
    if (!pool.mint.pools.includes(pool)) return
    this.#trades.buy(pool, this.#crowd.sniper(), this.#prng.spread(2e8, 4e9))
    this.#settle(pool)
  }

  /** Another pool of a token that trades already, or a token that starts without a launch venue. */
  #list(): void {
    const dex = this.#prng.pick(LISTING_VENUES)
    const depthSol = this.#prng.spread(30, 600)
    const known = this.#roster(this.#prng.pick(LISTING_VENUES)).any()
    if (known === undefined || this.#prng.chance(0.4)) {
      const { mint, price } = this.#drawNative()
      this.#openListed(openListing(this.#prng, { dex, mint, price, depthSol }))
    } else if (known.mint.pools.length < POOLS_OF_MINT_MAX) {
      const { mint, mechanism } = known
      this.#openListed(openListing(this.#prng, { dex, mint, price: mechanism.price(), depthSol }))
    }
  }

  #openListed(pool: Pool): void {
    const { mint } = pool
    if (!mint.isPublished) this.#tape.token(mint)
    const { sol, token } = shownReserves(pool)
    this.#tape.nextTransaction()
    this.#tape.poolEvent({
      event: 'created',
      pool,
      wallet: creatorOf(mint),
      ...(sol !== 0 && { sol, token }),
    })
    this.#roster(pool.dex).insert(pool, true)
  }

  /** Mostly back towards the depth that the pool opened with. */
  #changeLiquidity(): void {
    const pool = this.#roster(this.#prng.pick(LISTING_VENUES)).draw()
    if (pool?.mechanism.changeLiquidity === undefined) return
    const isShallow = pool.mechanism.depthLamports() < pool.openingDepth
    const isAdded = this.#prng.chance(0.7) ? isShallow : !isShallow
    const size = this.#prng.between(5, 100)
    const change = pool.mechanism.changeLiquidity(isAdded ? size : -size)
    if (change === undefined) return
    if (!pool.mint.isPublished) this.#tape.token(pool.mint)
    this.#tape.nextTransaction()
    this.#tape.poolEvent({
      event: isAdded ? 'liquidity_added' : 'liquidity_removed',
      pool,
      wallet: this.#crowd.trader(),
      sol: int64(change.sol),
      token: int64(change.token),
    })
  }
}

function creatorOf(mint: Mint): Wallet {
  if (mint.creator === undefined) throw new TypeError(`mint "${mint.tokenAddress}" has no creator`)
  return mint.creator
}

function shownReserves(pool: Pool): { sol: Int64; token: Int64 } {
  const reserves: Reserves = {
    virtualSolReserves: 0,
    virtualTokenReserves: 0,
    realSolReserves: 0,
    realTokenReserves: 0,
  }
  pool.mechanism.report(reserves)
  return { sol: reserves.realSolReserves, token: reserves.realTokenReserves }
}
