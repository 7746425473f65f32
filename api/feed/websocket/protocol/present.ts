/**
 * Serializes events of FEED as JSON in the streaming shape, once for all subscribers. Pure. int64 is written with all
 * digits, as a number or a string.
 */

import { pricePerToken } from '../../../../domain/amount.ts'
import { type VenueNaming, venueOf } from '../../../../domain/venue.ts'
import type { FeedEvent } from '../../../../streams/codec/event-codec.ts'
import { type Write, writerOf } from '../../../routing/json.ts'
import { withTextIntegers } from '../../../routing/schema.ts'
import { namedSchema } from '../../../routing/venue-naming.ts'
import type { Int64Form } from '../../frame.ts'
import type { FeedBatch } from '../../log/batch.ts'
import { streamedPoolEvent, streamedSwap } from './schema.ts'

/** Decimals of SOL, on every venue. */
const BASE_DECIMALS = 9

type Writers = Record<Int64Form, Record<FeedEvent['kind'], Write>>
const writersOf = (naming: VenueNaming): Writers => {
  const swap = namedSchema(streamedSwap, naming)
  const poolEvent = namedSchema(streamedPoolEvent, naming)
  return {
    number: { swap: writerOf(swap), pool_event: writerOf(poolEvent) },
    string: {
      swap: writerOf(withTextIntegers(swap)),
      pool_event: writerOf(withTextIntegers(poolEvent)),
    },
  }
}
const WRITERS: Record<VenueNaming, Writers> = {
  ids: writersOf('ids'),
  programs: writersOf('programs'),
}

/** The JSON of event number `index` of a batch. */
export function eventText(
  batch: FeedBatch,
  index: number,
  form: Int64Form,
  naming: VenueNaming = 'ids',
): string {
  const texts = batch.keep<string[]>(`json ${form} ${naming}`, () => [])
  const known = texts[index]
  if (known !== undefined) return known
  const text = writeEvent(batch.events[index] as FeedEvent, form, naming)
  texts[index] = text
  return text
}

export function writeEvent(event: FeedEvent, form: Int64Form, naming: VenueNaming = 'ids'): string {
  return WRITERS[naming][form][event.kind](presentEvent(event))
}

/** A retraction names the block that left the chain. */
function blockOf({ isRetraction }: FeedEvent, { blockhash }: { blockhash?: string | undefined }) {
  return isRetraction ? { blockhash: blockhash ?? null } : {}
}

function presentEvent(event: FeedEvent): Record<string, unknown> {
  if (event.kind === 'pool_event') {
    const { poolEvent } = event
    return {
      kind: event.isRetraction ? 'retract' : 'pool_event',
      event: poolEvent.event,
      signature: poolEvent.signature,
      slot: poolEvent.slot,
      timestamp: poolEvent.timestamp,
      pair_address: poolEvent.pairAddress,
      token_address: poolEvent.tokenAddress,
      dex: venueOf(poolEvent.dex).name,
      block_tx_index: poolEvent.blockTxIndex,
      ix_index: poolEvent.ixIndex,
      creator: poolEvent.creator ?? null,
      from_pair: poolEvent.fromPair ?? null,
      sol_amount: poolEvent.solAmount ?? null,
      token_amount: poolEvent.tokenAmount ?? null,
      ...blockOf(event, poolEvent),
    }
  }
  const { swap } = event
  return {
    kind: event.isRetraction ? 'retract' : 'swap',
    signature: swap.signature,
    slot: swap.slot,
    timestamp: swap.timestamp,
    token_address: swap.tokenAddress,
    pair_address: swap.pairAddress,
    user: swap.user,
    swap_type: swap.isBuy ? 'buy' : 'sell',
    dex: venueOf(swap.dex).name,
    sol_amount: swap.solAmount,
    token_amount: swap.tokenAmount,
    fee: swap.fee,
    fee_bps: swap.feeBps,
    creator_fee: swap.creatorFee,
    creator_fee_bps: swap.creatorFeeBps,
    price_per_token: pricePerToken(swap.solAmount, swap.tokenAmount),
    pool_price: event.poolPrice,
    price_impact_bps: event.priceImpactBps,
    base_decimals: BASE_DECIMALS,
    quote_decimals: swap.quoteDecimals,
    virtual_sol_reserves: swap.virtualSolReserves,
    virtual_token_reserves: swap.virtualTokenReserves,
    real_sol_reserves: swap.realSolReserves,
    real_token_reserves: swap.realTokenReserves,
    transfer_fee_in: swap.transferFeeIn,
    transfer_fee_out: swap.transferFeeOut,
    cashback: swap.cashback,
    cashback_bps: swap.cashbackBps,
    block_tx_index: swap.blockTxIndex,
    ix_index: swap.ixIndex,
    time_source: swap.timeSource,
    agent_trade: swap.agentTrade,
    ...blockOf(event, swap),
  }
}
