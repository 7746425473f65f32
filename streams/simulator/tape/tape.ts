/**
 * Writes events as the venues' decoders see them: the slot and its time, the index of each transaction in its block,
 * the count of swaps within a transaction for every decoder separately. It lacks the fields that the chain's history
 * lacks: indexes are 0 before the dates from which they were recorded, and the agent program's trades were not marked.
 */
import { type Int64, int64, powerOfTen, reservePrice } from '../../../domain/amount.ts'
import type { MarketEvent } from '../../../domain/events/event.ts'
import type { PoolEventKind } from '../../../domain/events/pool-event.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import type { Token } from '../../../domain/events/token.ts'
import { AGENT_MARKING_FROM_MS, AGENT_TRADE, DEX_MAX } from '../../../domain/venue.ts'
import { drawSignature } from '../base58-draw.ts'
import type { Wallet } from '../cast/wallets.ts'
import type { Mint, Pool } from '../listing.ts'
import type { Prng } from '../prng.ts'
import { type Legs, shareDown, shareUp } from '../venues/mechanism.ts'
import type { SlotClock } from './slot-clock.ts'

/** Before these dates the decoders wrote 0 for the index. */
const IX_INDEX_FROM_MS = Date.UTC(2026, 4, 30)
const BLOCK_TX_INDEX_FROM_MS = Date.UTC(2026, 5, 10)

type Fill = {
  readonly pool: Pool
  readonly wallet: Wallet
  readonly isBuy: boolean
  readonly legs: Legs
  readonly transferFee: bigint
}

type PoolChange = {
  readonly event: PoolEventKind
  readonly pool: Pool
  readonly wallet: Wallet
  readonly fromPair?: string
  readonly sol?: Int64
  readonly token?: Int64
}

export class Tape {
  readonly #prng: Prng
  readonly #clock: SlotClock
  #written: MarketEvent[] = []
  #signature = ''
  #transaction = 0
  #swapCount = 0
  /** Swaps of the present transaction by venue. */
  readonly #swapsOfVenue = new Uint8Array(DEX_MAX + 1)

  /** Begins before the first slot: call nextSlot() first. */
  constructor(prng: Prng, clock: SlotClock) {
    this.#prng = prng
    this.#clock = clock
  }

  get slot(): number {
    return this.#clock.slot
  }

  /** The signature of the present transaction. */
  get signature(): string {
    return this.#signature
  }

  /** Swaps written so far. */
  get swapCount(): number {
    return this.#swapCount
  }

  get timestamp(): number {
    return this.#clock.timestamp
  }

  /** Returns the events written since the last call. */
  take(): MarketEvent[] {
    const events = this.#written
    this.#written = []
    return events
  }

  nextSlot(): void {
    this.#clock.next()
    this.#transaction = 0
  }

  /** `gap`: transactions of the block from the one before. */
  nextTransaction(gap = this.#prng.between(1, 9)): void {
    this.#transaction += gap
    this.#signature = drawSignature(this.#prng)
    this.#swapsOfVenue.fill(0)
  }

  /** The mint's token line; once sent it is not due again. */
  token(mint: Mint): void {
    mint.isPublished = true
    const token: Token = {
      tokenAddress: mint.tokenAddress,
      slot: this.slot,
      decimals: mint.decimals,
      symbol: mint.symbol,
      name: mint.name,
    }
    if (mint.creator !== undefined) token.creator = mint.creator.walletAddress
    if (mint.supply !== undefined) token.supply = int64(mint.supply)
    if (mint.sector !== undefined) token.sector = mint.sector
    this.#written.push({ kind: 'token', token })
  }

  sector(mint: Mint, sector: string): void {
    const token: Token = { tokenAddress: mint.tokenAddress, slot: this.slot, sector }
    this.#written.push({ kind: 'token', token })
  }

  poolEvent(change: PoolChange): void {
    this.#written.push({
      kind: 'pool_event',
      poolEvent: {
        event: change.event,
        signature: this.#signature,
        slot: this.slot,
        timestamp: this.timestamp,
        pairAddress: change.pool.pairAddress,
        tokenAddress: change.pool.mint.tokenAddress,
        dex: change.pool.dex,
        blockTxIndex: this.#blockTxIndex(),
        ixIndex: 0,
        creator: change.wallet.walletAddress,
        ...(change.fromPair !== undefined && { fromPair: change.fromPair }),
        ...(change.sol !== undefined && { solAmount: change.sol }),
        ...(change.token !== undefined && { tokenAmount: change.token }),
      },
    })
  }

  swap(fill: Fill): void {
    const { pool, legs } = fill
    const isAgent = pool.dex === 1 && fill.wallet.character === 'agent'
    const creatorFeeBps = isAgent ? 0 : pool.creatorFeeBps
    const swap: Swap = {
      signature: this.#signature,
      slot: this.slot,
      timestamp: this.timestamp,
      tokenAddress: pool.mint.tokenAddress,
      pairAddress: pool.pairAddress,
      user: fill.wallet.walletAddress,
      isBuy: fill.isBuy,
      dex: pool.dex,
      solAmount: int64(legs.sol),
      tokenAmount: int64(legs.token),
      fee: isAgent ? 0 : int64(legs.fee),
      feeBps: isAgent ? 0 : pool.mechanism.feeBps,
      creatorFee: creatorFeeBps === 0 ? 0 : int64(shareUp(legs.sol, creatorFeeBps)),
      creatorFeeBps,
      quoteDecimals: pool.mint.decimals,
      virtualSolReserves: 0,
      virtualTokenReserves: 0,
      realSolReserves: 0,
      realTokenReserves: 0,
      transferFeeIn: fill.isBuy ? 0 : int64(fill.transferFee),
      transferFeeOut: fill.isBuy ? int64(fill.transferFee) : 0,
      cashback: int64(shareDown(legs.sol, pool.cashbackBps)),
      cashbackBps: pool.cashbackBps,
      blockTxIndex: this.#blockTxIndex(),
      ixIndex: this.#ixIndex(pool),
      timeSource: 0,
      agentTrade: isAgent && this.timestamp >= AGENT_MARKING_FROM_MS ? AGENT_TRADE : 0,
      poolPrice: undefined,
      priceBefore: undefined,
      priceAfter: undefined,
      virtualQuoteReserves: undefined,
      outsideProtocolBps: undefined,
      outsideCreatorBps: undefined,
      blockhash: undefined,
    }
    pool.mechanism.report(swap)
    publishPrices(swap, legs)
    this.#written.push({ kind: 'swap', swap })
    this.#swapCount += 1
  }

  #blockTxIndex(): number {
    return this.timestamp < BLOCK_TX_INDEX_FROM_MS ? 0 : this.#transaction
  }

  #ixIndex(pool: Pool): number {
    const ixIndex = this.#swapsOfVenue[pool.dex]!
    this.#swapsOfVenue[pool.dex] = ixIndex + 1
    return this.timestamp < IX_INDEX_FROM_MS ? 0 : ixIndex
  }
}

/** Venues 2 and 4 publish a pool price; 4, 6 and 9 the price around the trade; 7 the one after. */
function publishPrices(swap: Swap, legs: Legs): void {
  const { dex, quoteDecimals } = swap
  if (dex === 2 || dex === 4) {
    swap.poolPrice = reservePrice(swap.realSolReserves, swap.realTokenReserves, quoteDecimals)
  }
  if (legs.priceBefore === undefined || legs.priceAfter === undefined) return
  const scale = powerOfTen(quoteDecimals - 9)
  if (dex !== 7) swap.priceBefore = legs.priceBefore * scale
  swap.priceAfter = legs.priceAfter * scale
}
