/**
 * Draws the swaps that the crowd of a pool makes: trader, side and amount. Sellers sell their holdings; the few that
 * sell more got it by an airdrop.
 */
import { LAMPORTS_PER_SOL } from '../../domain/amount.ts'
import type { Holding } from './cast/holdings.ts'
import type { Character, Crowd, Wallet } from './cast/wallets.ts'
import type { Pool } from './listing.ts'
import type { Prng } from './prng.ts'
import type { SolUsd } from './quotes.ts'
import type { Tape } from './tape/tape.ts'
import { shareUp } from './venues/mechanism.ts'

const DUST_SHARE = 0.004
const AIRDROP_SHARE = 0.0004
/** Share of buys by wallets never seen before; about 5 % of all swaps. */
const NEWCOMER_SHARE = 0.105
const WHALE_SHARE = 0.012
/** Share of buys on venue 1. */
const AGENT_SHARE = 0.015
/** Share of sells while the creator still holds. */
const CREATOR_SELL_SHARE = 0.05
/** Share of sells that empty the wallet. */
const SELL_ALL_SHARE = 0.45
/** An ordinary buy takes at most this share of the pool's depth. */
const BUY_DEPTH_SHARE_MAX = 0.08
/** A trade with a dollar pool takes at most this share of its depth. */
const DOLLAR_DEPTH_SHARE_MAX = 0.02
/** From this depth on whales bring whale sums. */
const DEEP_LAMPORTS = 1000 * LAMPORTS_PER_SOL
/** How far the crowd leans against a price that is wrong, per unit of log price. */
const LEAN = 0.4
const LEAN_DOLLAR = 40
/** Profit that an arbitrageur wants beyond all fees. */
const ARBITRAGE_MARGIN = 0.004
const ARBITRAGE_SHARE = 0.6

/** How likely a wallet sells when it is drawn for a sell. */
const WILL_SELL: Readonly<Record<Character, number>> = {
  trader: 0.6,
  holder: 0.04,
  sniper: 0.9,
  whale: 0.4,
  arbitrageur: 1,
  creator: 0.3,
  agent: 0.8,
}

/** One of the trade, that of the trade before, or the next one of the block. */
type Transaction = 'own' | 'same' | 'next'

/** May fill a buy of the crowd together with trades around it; returns whether it did. */
type Attack = (trades: Trades, pool: Pool, victim: Wallet, lamports: number) => boolean

export class Trades {
  readonly #prng: Prng
  readonly #crowd: Crowd
  readonly #solUsd: SolUsd
  readonly #tape: Tape
  readonly #attack: Attack | undefined

  constructor(prng: Prng, crowd: Crowd, solUsd: SolUsd, tape: Tape, attack?: Attack) {
    this.#prng = prng
    this.#crowd = crowd
    this.#solUsd = solUsd
    this.#tape = tape
    this.#attack = attack
  }

  /** One trade of the pool's crowd, and the arbitrage that follows. */
  trade(pool: Pool): void {
    if (this.#prng.chance(DUST_SHARE)) this.#dust(pool)
    else if (this.#prng.chance(AIRDROP_SHARE)) this.#sellAirdrop(pool)
    else if (this.#prng.chance(this.#buyChance(pool)) || !this.#crowdSells(pool)) {
      this.#crowdBuys(pool)
    }
  }

  #buyChance(pool: Pool): number {
    const { mint } = pool
    const anchor = isDollar(pool) ? this.#solUsd.lamportsPerUnit() : mint.anchorPrice
    if (anchor === undefined) return pool.appetite
    const lean = isDollar(pool) ? LEAN_DOLLAR : LEAN
    const wanted = pool.appetite + lean * Math.log(anchor / pool.mechanism.price())
    return Math.max(0.08, Math.min(0.92, wanted))
  }

  #crowdBuys(pool: Pool): void {
    const wallet = this.#buyer(pool)
    const depth = pool.mechanism.depthLamports()
    if (isDollar(pool)) {
      const wanted = this.#prng.spread(0.01, 20) * LAMPORTS_PER_SOL
      this.buy(pool, wallet, Math.min(wanted, depth * DOLLAR_DEPTH_SHARE_MAX))
    } else if (wallet.character !== 'whale') {
      const wanted = this.#prng.spread(0.01, 4) * LAMPORTS_PER_SOL
      this.#buySeen(pool, wallet, Math.min(wanted, depth * BUY_DEPTH_SHARE_MAX))
    } else if (depth < DEEP_LAMPORTS) {
      this.#buySeen(pool, wallet, depth * this.#prng.spread(0.05, 0.25))
    } else {
      this.#buySeen(pool, wallet, this.#prng.spread(50, 300) * LAMPORTS_PER_SOL)
    }
  }

  /** A buy that bots see before it is in a block. */
  #buySeen(pool: Pool, wallet: Wallet, lamports: number): void {
    if (this.#attack?.(this, pool, wallet, lamports)) return
    this.buy(pool, wallet, lamports)
  }

  /** A mint that has all the holders it may have is bought by one of them. */
  #buyer(pool: Pool): Wallet {
    const { holdings } = pool.mint
    if (holdings.isFull) return holdings.any(this.#prng)!.wallet
    const draw = this.#prng.unit()
    if (draw < NEWCOMER_SHARE) return this.#crowd.newcomer()
    if (draw < NEWCOMER_SHARE + WHALE_SHARE) return this.#crowd.whale()
    if (pool.dex === 1 && draw > 1 - AGENT_SHARE) return this.#crowd.agent()
    return this.#crowd.trader()
  }

  #crowdSells(pool: Pool): boolean {
    const holding = this.#creatorHolding(pool) ?? this.#seller(pool)
    if (holding === undefined) return false
    return this.#sell(pool, holding, this.#sellQuantity(pool, holding))
  }

  #sellQuantity(pool: Pool, { balance }: Holding): bigint {
    if (isDollar(pool)) {
      const { mechanism } = pool
      const most = (mechanism.depthLamports() * DOLLAR_DEPTH_SHARE_MAX) / mechanism.price()
      if (most < Number(balance)) return BigInt(Math.floor(most))
    }
    if (pool.mint.holdings.isFull || this.#prng.chance(SELL_ALL_SHARE)) return balance
    return (balance * BigInt(this.#prng.between(100, 900))) / 1000n
  }

  #creatorHolding(pool: Pool): Holding | undefined {
    const { creator, holdings } = pool.mint
    if (creator === undefined || !this.#prng.chance(CREATOR_SELL_SHARE)) return undefined
    return holdings.of(creator)
  }

  /** Draws a few wallets; the last one sells in any case. */
  #seller(pool: Pool): Holding | undefined {
    let candidate: Holding | undefined
    for (let tries = 0; tries < 4; tries++) {
      candidate = pool.mint.holdings.any(this.#prng)
      if (candidate === undefined || this.#prng.chance(WILL_SELL[candidate.wallet.character])) break
    }
    return candidate
  }

  #dust(pool: Pool): void {
    const holding = pool.mint.holdings.any(this.#prng)
    const size = this.#prng.between(1, 9_999)
    if (holding === undefined || this.#prng.chance(0.5)) {
      this.buy(pool, this.#crowd.trader(), size)
    } else if (holding.balance >= size) {
      this.#sell(pool, holding, BigInt(size))
    }
  }

  /** Sells tokens that no pool ever sent: not on curves, which hold SOL for their own tokens only. */
  #sellAirdrop(pool: Pool): void {
    if (pool.dex === 1 || pool.dex === 8) return
    const worth = pool.mechanism.depthLamports() * this.#prng.spread(0.0001, 0.01)
    const quantity = BigInt(Math.floor(worth / pool.mechanism.price()))
    this.#sellLeg(pool, this.#crowd.trader(), quantity)
  }

  /** Buys for about that many lamports; the wallet holds the result. Undefined when it cannot be filled. */
  buy(
    pool: Pool,
    wallet: Wallet,
    lamports: number,
    transaction: Transaction = 'own',
  ): bigint | undefined {
    const legs = pool.mechanism.buy(BigInt(Math.floor(lamports)))
    if (legs === undefined) return undefined
    this.#begin(pool, transaction)
    const transferFee = shareUp(legs.token, pool.mint.transferFeeBps)
    this.#tape.swap({ pool, wallet, isBuy: true, legs, transferFee })
    const arrived = legs.token - transferFee
    pool.mint.holdings.add(wallet, arrived)
    return arrived
  }

  #sell(pool: Pool, holding: Holding, quantity: bigint, transaction: Transaction = 'own'): boolean {
    const isSold = this.#sellLeg(pool, holding.wallet, quantity, transaction)
    if (isSold) pool.mint.holdings.take(holding, quantity)
    return isSold
  }

  /** Sells that much of what a wallet holds, or all, right after the trade before; another seller was sent the tokens. */
  sellFor(
    pool: Pool,
    owner: Wallet,
    { seller, quantity }: { seller: Wallet; quantity: bigint },
  ): boolean {
    const holding = pool.mint.holdings.of(owner)
    if (holding === undefined) return false
    const { balance } = holding
    const sold = quantity < balance ? quantity : balance
    if (!this.#sellLeg(pool, seller, sold, 'next')) return false
    pool.mint.holdings.take(holding, sold)
    return true
  }

  #sellLeg(
    pool: Pool,
    wallet: Wallet,
    quantity: bigint,
    transaction: Transaction = 'own',
  ): boolean {
    const transferFee = shareUp(quantity, pool.mint.transferFeeBps)
    if (quantity <= transferFee) return false
    const legs = pool.mechanism.sell(quantity - transferFee)
    if (legs === undefined) return false
    this.#begin(pool, transaction)
    this.#tape.swap({ pool, wallet, isBuy: false, legs, transferFee })
    return true
  }

  #begin(pool: Pool, transaction: Transaction): void {
    if (!pool.mint.isPublished) this.#tape.token(pool.mint)
    if (transaction === 'own') this.#tape.nextTransaction()
    else if (transaction === 'next') this.#tape.nextTransaction(1)
  }

  /** Where two pools of a mint disagree by more than the fees: buys and sells in one transaction. */
  arbitrage(pool: Pool): void {
    const { pools, transferFeeBps, holdings } = pool.mint
    if (pools.length < 2 || !this.#prng.chance(ARBITRAGE_SHARE)) return
    const other = this.#prng.pick(pools)
    if (other === pool) return
    const isCheaper = pool.mechanism.price() < other.mechanism.price()
    const [cheap, dear] = isCheaper ? [pool, other] : [other, pool]
    const feesBps = cheap.mechanism.feeBps + dear.mechanism.feeBps + 2 * transferFeeBps
    const ratio = dear.mechanism.price() / cheap.mechanism.price() / (1 + feesBps / 10_000)
    if (ratio < 1 + ARBITRAGE_MARGIN) return
    const depth = Math.min(cheap.mechanism.depthLamports(), dear.mechanism.depthLamports())
    const wallet = this.#crowd.arbitrageur()
    const arrived = this.buy(cheap, wallet, (depth * Math.min(ratio - 1, 0.5)) / 6)
    const holding = holdings.of(wallet)
    if (arrived !== undefined && holding !== undefined) this.#sell(dear, holding, arrived, 'same')
  }
}

function isDollar(pool: Pool): boolean {
  return pool.mint.sector === 'stablecoin'
}
