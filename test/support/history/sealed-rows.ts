/**
 * Swaps as rows of sealed history, in the order of a segment: folded by the pool actor's own code, so that prices and
 * impacts are those that a database would hold. Ids count from 1 in the order of first appearance.
 */
import { createHash } from 'node:crypto'
import type { MarketEvent } from '../../../domain/events/event.ts'
import { compareSwaps, type Swap } from '../../../domain/events/swap.ts'
import { decodeBase58, encodeBase58 } from '../../../domain/numbers/base58.ts'
import { hashSignature } from '../../../domain/numbers/signature-hash.ts'
import { SLICE_SLOTS } from '../../../history/codec/postings/pool.ts'
import type { SegmentRows } from '../../../history/codec/postings/segment.ts'
import type { SealedSwap } from '../../../history/codec/row.ts'
import { foldPool, type PoolArrivals } from '../../../workers/pool/fold.ts'
import { type AcceptedSwap, emptyPool } from '../../../workers/pool/pool-state.ts'

/** The table of large swaps has those of 10 SOL and more. */
const LARGE_LAMPORTS = 10_000_000_000

/** A segment with the swap of each row. */
export type Segment = SegmentRows & { rows: SealedSwap[]; swaps: Swap[] }

export function segmentOf(events: Iterable<MarketEvent>): Segment {
  const accepted = [...foldAll(events)]
  const wallets = new Map<string, number>()
  const blockhashes = new Map<number, string[]>()
  const pairs = accepted
    .map((each) => ({ each, slice: Math.floor(each.swap.slot / SLICE_SLOTS) }))
    .toSorted(
      (a, b) =>
        a.slice - b.slice ||
        a.each.state.poolId - b.each.state.poolId ||
        compareSwaps(a.each.swap, b.each.swap),
    )
  for (const { swap } of accepted) idOf(wallets, swap.user)
  const rows = pairs.map(({ each }) =>
    rowOfAccepted(each, idOf(wallets, each.swap.user), ordinalOf(blockhashes, each.swap)),
  )
  const swaps = pairs.map(({ each }) => each.swap)
  const signatureHalves = new Int32Array(2 * swaps.length)
  swaps.forEach(({ signature }, row) => {
    hashSignature(signature, signatureHalves, 2 * row)
  })
  const canonical = Uint32Array.from(swaps.keys()).sort((a, b) =>
    compareSwaps(swaps[a]!, swaps[b]!),
  )
  return {
    ...{ rows, swaps, canonical, signatureHalves, blockhashes },
    slots: rows.map(({ slot }) => slot),
    poolIds: rows.map((row) => row.pool_id),
    walletIds: rows.map((row) => row.wallet_id),
    isLarge: rows.map((row) => Number(row.sol_amount >= LARGE_LAMPORTS)),
  }
}

/** The segment with a block hash in every slot, as chain data has them: the simulated market has none. */
export function withBlockhashes(segment: Segment): Segment {
  const slots = new Set(segment.rows.map(({ slot }) => slot))
  return {
    ...segment,
    rows: segment.rows.map((row) => ({ ...row, blockhash: 1 })),
    blockhashes: new Map(Array.from(slots, (slot) => [slot, [blockhashOf(slot)]])),
  }
}

/** The same bytes for a slot each time, and as hard to compress as those of the chain. */
export function blockhashOf(slot: number): string {
  return encodeBase58(createHash('sha256').update(String(slot)).digest())
}

function idOf(ids: Map<string, number>, name: string): number {
  const id = ids.get(name) ?? ids.size + 1
  ids.set(name, id)
  return id
}

function ordinalOf(blockhashes: Map<number, string[]>, { slot, blockhash }: Swap): number {
  if (blockhash === undefined) return 0
  const known = blockhashes.get(slot) ?? []
  blockhashes.set(slot, known)
  if (!known.includes(blockhash)) known.push(blockhash)
  return known.indexOf(blockhash) + 1
}

function* foldAll(events: Iterable<MarketEvent>): Generator<AcceptedSwap> {
  const pools = new Map<string, PoolArrivals>()
  for (const event of events) {
    if (event.kind === 'token') continue
    const { pairAddress, tokenAddress } = event.kind === 'swap' ? event.swap : event.poolEvent
    const pool = pools.get(pairAddress) ?? {
      state: emptyPool(pools.size + 1, pairAddress, tokenAddress),
      swaps: [],
      poolEvents: [],
    }
    pools.set(pairAddress, pool)
    if (event.kind === 'swap') pool.swaps.push({ swap: event.swap, bytes: new Uint8Array() })
    else pool.poolEvents.push(event.poolEvent)
  }
  for (const pool of pools.values()) yield* foldPool(pool).swaps.map(({ accepted }) => accepted)
}

function rowOfAccepted(accepted: AcceptedSwap, walletId: number, blockhash: number): SealedSwap {
  const { swap, state } = accepted
  return {
    slot: swap.slot,
    block_tx_index: swap.blockTxIndex,
    timestamp_ms: swap.timestamp,
    sol_amount: swap.solAmount,
    token_amount: swap.tokenAmount,
    fee: swap.fee,
    creator_fee: swap.creatorFee,
    virtual_sol_reserves: swap.virtualSolReserves,
    virtual_token_reserves: swap.virtualTokenReserves,
    real_sol_reserves: swap.realSolReserves,
    real_token_reserves: swap.realTokenReserves,
    transfer_fee_in: swap.transferFeeIn,
    transfer_fee_out: swap.transferFeeOut,
    cashback: swap.cashback,
    price_impact_bps: accepted.priceImpactBps,
    pool_price: accepted.poolPrice,
    price_before: swap.priceBefore ?? null,
    price_after: swap.priceAfter ?? null,
    pool_id: state.poolId,
    wallet_id: walletId,
    ix_index: swap.ixIndex,
    fee_bps: swap.feeBps,
    creator_fee_bps: swap.creatorFeeBps,
    cashback_bps: swap.cashbackBps,
    time_source: swap.timeSource,
    agent_trade: swap.agentTrade,
    dex: swap.dex,
    quote_decimals: swap.quoteDecimals,
    is_buy: swap.isBuy,
    signature: decodeBase58(swap.signature)!,
    wallet_tags: accepted.walletTags === 0 ? null : accepted.walletTags,
    virtual_quote_reserves: swap.virtualQuoteReserves ?? null,
    blockhash,
    outside_protocol_bps: swap.outsideProtocolBps ?? null,
    outside_creator_bps: swap.outsideCreatorBps ?? null,
  }
}
