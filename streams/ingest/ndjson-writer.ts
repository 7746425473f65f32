/**
 * An event as a line of the ingest format, int64 digit for digit, without the line feed: parseEvent reads it back as
 * the same event. By concatenation, because JSON.stringify knows no bigint. Addresses and signatures are base58 by
 * contract and need no escaping; other texts get it.
 */
import type { Event } from '../../domain/events/event.ts'
import type { PoolEvent } from '../../domain/events/pool-event.ts'
import type { Retraction } from '../../domain/events/retraction.ts'
import type { Swap } from '../../domain/events/swap.ts'
import type { Token } from '../../domain/events/token.ts'

export function printEvent(event: Event): string {
  switch (event.kind) {
    case 'swap':
      return printSwap(event.swap)
    case 'pool_event':
      return printPoolEvent(event.poolEvent)
    case 'token':
      return printToken(event.token)
    case 'retract':
      return printRetraction(event.retraction)
    default:
      return event satisfies never
  }
}

function printSwap(swap: Swap): string {
  return `{"kind":"swap","signature":"${swap.signature}","slot":${swap.slot},"timestamp":${
    swap.timestamp
  },"token_address":"${swap.tokenAddress}","pair_address":"${swap.pairAddress}","user":"${
    swap.user
  }","is_buy":${swap.isBuy},"dex":${swap.dex},"sol_amount":${swap.solAmount},"token_amount":${
    swap.tokenAmount
  },"fee":${swap.fee},"fee_bps":${swap.feeBps},"creator_fee":${
    swap.creatorFee
  },"creator_fee_bps":${swap.creatorFeeBps},"base_decimals":9,"quote_decimals":${
    swap.quoteDecimals
  },"virtual_sol_reserves":${swap.virtualSolReserves},"virtual_token_reserves":${
    swap.virtualTokenReserves
  },"real_sol_reserves":${swap.realSolReserves},"real_token_reserves":${
    swap.realTokenReserves
  },"transfer_fee_in":${swap.transferFeeIn},"transfer_fee_out":${
    swap.transferFeeOut
  },"cashback":${swap.cashback},"cashback_bps":${swap.cashbackBps},"block_tx_index":${
    swap.blockTxIndex
  },"ix_index":${swap.ixIndex},"time_source":${swap.timeSource},"agent_trade":${
    swap.agentTrade
  }${number('pool_price', swap.poolPrice)}${number('price_before', swap.priceBefore)}${number(
    'price_after',
    swap.priceAfter,
  )}${number('virtual_quote_reserves', swap.virtualQuoteReserves)}${number(
    'outside_protocol_bps',
    swap.outsideProtocolBps,
  )}${number('outside_creator_bps', swap.outsideCreatorBps)}${text('blockhash', swap.blockhash)}}`
}

function printPoolEvent(poolEvent: PoolEvent): string {
  return `{"kind":"pool_event","event":"${poolEvent.event}","signature":"${
    poolEvent.signature
  }","slot":${poolEvent.slot},"timestamp":${poolEvent.timestamp},"pair_address":"${
    poolEvent.pairAddress
  }","token_address":"${poolEvent.tokenAddress}","dex":${poolEvent.dex}${text(
    'creator',
    poolEvent.creator,
  )}${text('from_pair', poolEvent.fromPair)}${number('sol_amount', poolEvent.solAmount)}${number(
    'token_amount',
    poolEvent.tokenAmount,
  )},"block_tx_index":${poolEvent.blockTxIndex},"ix_index":${poolEvent.ixIndex}${text(
    'blockhash',
    poolEvent.blockhash,
  )}}`
}

function printToken(token: Token): string {
  return `{"kind":"token","token_address":"${token.tokenAddress}","slot":${token.slot}${text(
    'creator',
    token.creator,
  )}${number('decimals', token.decimals)}${text('symbol', token.symbol)}${text(
    'name',
    token.name,
  )}${number('supply', token.supply)}${text('sector', token.sector)}${text('uri', token.uri)}}`
}

function printRetraction({ slot, blockhash }: Retraction): string {
  return `{"kind":"retract","slot":${slot}${text('blockhash', blockhash)}}`
}

const number = (name: string, value: number | bigint | undefined): string =>
  value === undefined ? '' : `,"${name}":${value}`

const text = (name: string, value: string | undefined): string =>
  value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`
