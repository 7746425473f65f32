/**
 * Bots of the simulated market: sandwich bots, of one wallet or of two that hand the tokens over, volume bots that buy and sell at once,
 * and early buyers, who are worth copying because they know which launches are wanted. Each act is reported, so that an analysis can
 * be compared with the truth. Bots have a generator of their own: a market without bots draws what it always drew.
 */
import { LAMPORTS_PER_SOL } from '../../domain/amount.ts'
import { venueOf } from '../../domain/venue.ts'
import type { Wallet } from './cast/wallets.ts'
import type { Pool } from './listing.ts'
import type { Prng } from './prng.ts'
import type { Tape } from './tape/tape.ts'
import type { Trades } from './trades.ts'

/**
 * `victim` and the legs are signatures; a volume bot's legs may have trades of others between them, and no victim is meant. An entry is
 * the first buy of an early buyer in a pool.
 */
export type BotAct =
  | {
      readonly kind: 'sandwich'
      readonly pool: string
      readonly front: string
      readonly victim: string
      readonly back: string
    }
  | {
      readonly kind: 'volume'
      readonly pool: string
      readonly front: string
      readonly back: string
    }
  | { readonly kind: 'entry'; readonly pool: string; readonly wallet: string }

type Position = { readonly pool: Pool; readonly wallet: Wallet; price: number; slot: number }
type Parts = {
  readonly prng: Prng
  readonly tape: Tape
  readonly fresh: () => Wallet
  readonly onAct: (act: BotAct) => void
}

const SANDWICH_BOTS = 6
const VOLUME_BOTS = 4
const EARLY_BUYERS = 8
/** Share of the trades that are worth it which a bot sees in time. */
const ATTACK_SHARE = 0.08
/** A trade moves the price by twice its share of the depth, of which a bot pays its fees twice. */
const WORTH_IT = 1.6
const TWO_WALLETS_SHARE = 0.3
const VOLUME_SHARE = 1 / 200
const INTERRUPTED_SHARE = 0.1
/** Launches that early buyers know of, and what they hold at once. */
const WANTED_MAX = 4
const POSITIONS_MAX = 40
const ENTRY_SHARE = 0.06
const TAKE_PROFIT = 2.5
const HELD_SLOTS_MAX = 3_000
const BPS = 10_000

export class Bots {
  readonly #prng: Prng
  readonly #tape: Tape
  readonly #onAct: (act: BotAct) => void
  readonly #attackers: readonly Wallet[]
  readonly #sellers: readonly Wallet[]
  readonly #volume: readonly Wallet[]
  readonly #early: readonly Wallet[]
  #wanted: Pool[] = []
  #positions: Position[] = []
  #isActing = false

  constructor({ prng, tape, fresh, onAct }: Parts) {
    this.#prng = prng
    this.#tape = tape
    this.#onAct = onAct
    const cast = (count: number) => Array.from({ length: count }, fresh)
    this.#attackers = cast(SANDWICH_BOTS)
    this.#sellers = cast(SANDWICH_BOTS)
    this.#volume = cast(VOLUME_BOTS)
    this.#early = cast(EARLY_BUYERS)
  }

  /** A buy of the crowd, attacked where that pays: fills it, and returns whether it did. */
  attack(trades: Trades, pool: Pool, victim: Wallet, lamports: number): boolean {
    if (this.#isActing || !this.#isWorthIt(pool, lamports) || !this.#prng.chance(ATTACK_SHARE))
      return false
    const bot = this.#prng.below(this.#attackers.length)
    const attacker = this.#attackers[bot]!
    const seller = this.#prng.chance(TWO_WALLETS_SHARE) ? this.#sellers[bot]! : attacker
    const arrived = trades.buy(pool, attacker, lamports * this.#prng.spread(0.5, 1.5))
    if (arrived === undefined) return false
    const front = this.#tape.signature
    const filled = trades.buy(pool, victim, lamports, 'next')
    const signature = this.#tape.signature
    const isSold = trades.sellFor(pool, attacker, { seller, quantity: arrived })
    if (filled !== undefined && isSold) {
      const back = this.#tape.signature
      this.#onAct({ kind: 'sandwich', pool: pool.pairAddress, front, victim: signature, back })
    }
    return true
  }

  #isWorthIt({ dex, mint, mechanism, creatorFeeBps }: Pool, lamports: number): boolean {
    // A hidden price does not follow the trades only.
    if (venueOf(dex).kind === 'no_reserves' || mint.transferFeeBps > 0 || mint.holdings.isFull)
      return false
    const fees = (mechanism.feeBps + creatorFeeBps) / BPS
    return lamports > WORTH_IT * fees * mechanism.depthLamports()
  }

  /** After a trade in a pool: seldom, a bot makes volume there. */
  makeVolume(trades: Trades, pool: Pool): void {
    if (!this.#prng.chance(VOLUME_SHARE)) return
    this.#isActing = true
    const wallet = this.#prng.pick(this.#volume)
    const arrived = trades.buy(pool, wallet, this.#prng.spread(0.05, 0.5) * LAMPORTS_PER_SOL)
    if (arrived !== undefined) {
      const front = this.#tape.signature
      if (this.#prng.chance(INTERRUPTED_SHARE)) trades.trade(pool)
      const isSold = trades.sellFor(pool, wallet, { seller: wallet, quantity: arrived })
      const back = this.#tape.signature
      if (isSold) this.#onAct({ kind: 'volume', pool: pool.pairAddress, front, back })
    }
    this.#isActing = false
  }

  /** A launch that many want. */
  launched(pool: Pool): void {
    this.#wanted.push(pool)
    if (this.#wanted.length > WANTED_MAX) this.#wanted.shift()
  }

  /** Returns the pools that were traded in. Positions in pools that left the market, and those that the crowd sold, are forgotten. */
  nextSlot(trades: Trades): Pool[] {
    const held = this.#positions.filter(({ pool, wallet }) => isHeld(pool, wallet))
    const sold = held.filter((position) => this.#isSold(trades, position))
    this.#positions = held.filter((position) => !sold.includes(position))
    const traded = sold.map(({ pool }) => pool)
    const entered = this.#prng.chance(ENTRY_SHARE) ? this.#enter(trades) : undefined
    return entered === undefined ? traded : [...traded, entered]
  }

  #isSold(trades: Trades, { pool, wallet, price, slot }: Position): boolean {
    const holding = pool.mint.holdings.of(wallet)
    if (holding === undefined) return false
    const isDue =
      pool.mechanism.price() > TAKE_PROFIT * price || this.#tape.slot - slot > HELD_SLOTS_MAX
    return isDue && trades.sellFor(pool, wallet, { seller: wallet, quantity: holding.balance })
  }

  #enter(trades: Trades): Pool | undefined {
    this.#wanted = this.#wanted.filter(isLive)
    if (this.#wanted.length === 0 || this.#positions.length >= POSITIONS_MAX) return undefined
    const pool = this.#prng.pick(this.#wanted)
    const wallet = this.#prng.pick(this.#early)
    if (pool.mint.holdings.isFull || pool.mint.holdings.of(wallet) !== undefined) return undefined
    const price = pool.mechanism.price()
    const arrived = trades.buy(pool, wallet, this.#prng.spread(0.2, 1) * LAMPORTS_PER_SOL)
    if (arrived === undefined) return undefined
    this.#positions.push({ pool, wallet, price, slot: this.#tape.slot })
    this.#onAct({ kind: 'entry', pool: pool.pairAddress, wallet: wallet.walletAddress })
    return pool
  }
}

const isLive = (pool: Pool): boolean => pool.mint.pools.includes(pool)
const isHeld = (pool: Pool, wallet: Wallet): boolean =>
  isLive(pool) && pool.mint.holdings.of(wallet) !== undefined
