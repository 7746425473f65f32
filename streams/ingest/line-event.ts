/** Events of lines whose fields obey the contract: defaults filled in, names in camelCase. Pure. */
import type { Int64 } from '../../domain/amount.ts'
import type { PoolEvent, PoolEventKind } from '../../domain/events/pool-event.ts'
import type { Retraction } from '../../domain/events/retraction.ts'
import type { Swap } from '../../domain/events/swap.ts'
import type { Token } from '../../domain/events/token.ts'
import type { JsonObject } from '../../domain/text/exact-json.ts'
import type { DexId } from '../../domain/venue.ts'

/** A checked integer, 0 where it is missing; `-0` is 0, so that one value has one form. */
const orZero = (value: unknown): Int64 =>
  value === undefined || value === 0 ? 0 : (value as Int64)
const orZeroSafe = (value: unknown): number => orZero(value) as number
const orUndefined = (value: unknown): number | undefined =>
  isGiven(value) ? orZeroSafe(value) : undefined

export function swapOf(json: JsonObject): Swap {
  return {
    signature: json.signature as string,
    slot: orZeroSafe(json.slot),
    timestamp: json.timestamp as number,
    tokenAddress: json.token_address as string,
    pairAddress: json.pair_address as string,
    user: json.user as string,
    isBuy: json.is_buy as boolean,
    dex: json.dex as DexId,
    solAmount: orZero(json.sol_amount),
    tokenAmount: orZero(json.token_amount),
    fee: orZero(json.fee),
    feeBps: orZeroSafe(json.fee_bps),
    creatorFee: orZero(json.creator_fee),
    creatorFeeBps: orZeroSafe(json.creator_fee_bps),
    quoteDecimals: orZeroSafe(json.quote_decimals),
    virtualSolReserves: orZero(json.virtual_sol_reserves),
    virtualTokenReserves: orZero(json.virtual_token_reserves),
    realSolReserves: orZero(json.real_sol_reserves),
    realTokenReserves: orZero(json.real_token_reserves),
    transferFeeIn: orZero(json.transfer_fee_in),
    transferFeeOut: orZero(json.transfer_fee_out),
    cashback: orZero(json.cashback),
    cashbackBps: orZeroSafe(json.cashback_bps),
    blockTxIndex: orZeroSafe(json.block_tx_index),
    ixIndex: orZeroSafe(json.ix_index),
    timeSource: orZeroSafe(json.time_source),
    agentTrade: orZeroSafe(json.agent_trade),
    poolPrice: orUndefined(json.pool_price),
    priceBefore: orUndefined(json.price_before),
    priceAfter: orUndefined(json.price_after),
    virtualQuoteReserves: (json.virtual_quote_reserves ?? undefined) as Int64 | undefined,
    outsideProtocolBps: orUndefined(json.outside_protocol_bps),
    outsideCreatorBps: orUndefined(json.outside_creator_bps),
    blockhash: isGiven(json.blockhash) ? (json.blockhash as string) : undefined,
  }
}

export function poolEventOf(json: JsonObject): PoolEvent {
  const poolEvent: PoolEvent = {
    event: json.event as PoolEventKind,
    signature: json.signature as string,
    slot: orZeroSafe(json.slot),
    timestamp: json.timestamp as number,
    pairAddress: json.pair_address as string,
    tokenAddress: json.token_address as string,
    dex: json.dex as DexId,
    blockTxIndex: orZeroSafe(json.block_tx_index),
    ixIndex: orZeroSafe(json.ix_index),
  }
  if (isGiven(json.creator)) poolEvent.creator = json.creator as string
  if (isGiven(json.from_pair)) poolEvent.fromPair = json.from_pair as string
  if (isGiven(json.sol_amount)) poolEvent.solAmount = orZero(json.sol_amount)
  if (isGiven(json.token_amount)) poolEvent.tokenAmount = orZero(json.token_amount)
  if (isGiven(json.blockhash)) poolEvent.blockhash = json.blockhash as string
  return poolEvent
}

export function retractionOf(json: JsonObject): Retraction {
  const slot = orZeroSafe(json.slot)
  return isGiven(json.blockhash) ? { slot, blockhash: json.blockhash as string } : { slot }
}

export function tokenOf(json: JsonObject): Token {
  const token: Token = { tokenAddress: json.token_address as string, slot: orZeroSafe(json.slot) }
  if (isGiven(json.decimals)) token.decimals = orZeroSafe(json.decimals)
  if (isGiven(json.supply)) token.supply = orZero(json.supply)
  for (const name of ['creator', 'symbol', 'name', 'sector', 'uri'] as const) {
    if (isGiven(json[name])) token[name] = json[name] as string
  }
  return token
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null
