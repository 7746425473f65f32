/**
 * Venue 2, PumpSwap: a constant product pool. Pure.
 *
 * BuyEvent and SellEvent come by self-CPI and again in the logs. Their names tell the way of the base token, not of
 * SOL: the base of a pool may be wrapped SOL. The quote's leg includes the fee of the liquidity providers, and the
 * fees of protocol and creator stay outside; the reserves are those before the trade.
 */
import { addressOf, type Call, type EmittedEvent } from '../call.ts'
import { PUMPSWAP_BUY, PUMPSWAP_SELL } from '../layouts/generated-pump.ts'
import { readFields } from '../layouts/layout.ts'
import { type SwapRead, transferFees, vaultSide, WSOL_MINT } from '../venue-swap.ts'

/** Positions of the pool's token accounts, the same in every swap instruction. */
const BASE_VAULT = 7
const QUOTE_VAULT = 8

export function readPumpswap(call: Call): readonly SwapRead[] {
  const swaps: SwapRead[] = []
  for (const event of call.events) {
    if (event.discriminator === PUMPSWAP_BUY.discriminator) swaps.push(readBuy(call, event))
    if (event.discriminator === PUMPSWAP_SELL.discriminator) swaps.push(readSell(call, event))
  }
  return swaps
}

function readBuy(call: Call, emitted: EmittedEvent): SwapRead {
  const event = readFields(PUMPSWAP_BUY, emitted.payload, emitted.offset)
  const { quote_amount_in_with_lp_fee: quote, base_amount_out: base } = event
  const input = vaultSide(call, QUOTE_VAULT, quote, 0n, sum(event.pool_quote_token_reserves, quote))
  const output = vaultSide(call, BASE_VAULT, base, 0n, less(event.pool_base_token_reserves, base))
  if (input === undefined || output === undefined) return 'no_vault'
  const isQuoteSol = input.mint === WSOL_MINT
  return {
    pool: addressOf(event.pool),
    trader: addressOf(event.user),
    ...transferFees(call, input, output),
    fee: isQuoteSol ? event.lp_fee : undefined,
    feeBps: event.lp_fee_basis_points,
    cashback: isQuoteSol ? event.cashback : undefined,
    cashbackBps: event.cashback_fee_basis_points,
  }
}

function readSell(call: Call, emitted: EmittedEvent): SwapRead {
  const event = readFields(PUMPSWAP_SELL, emitted.payload, emitted.offset)
  const { quote_amount_out_without_lp_fee: quote, base_amount_in: base } = event
  const input = vaultSide(call, BASE_VAULT, base, 0n, sum(event.pool_base_token_reserves, base))
  const output = vaultSide(
    call,
    QUOTE_VAULT,
    quote,
    0n,
    less(event.pool_quote_token_reserves, quote),
  )
  if (input === undefined || output === undefined) return 'no_vault'
  const isQuoteSol = output.mint === WSOL_MINT
  return {
    pool: addressOf(event.pool),
    trader: addressOf(event.user),
    ...transferFees(call, input, output),
    fee: isQuoteSol ? event.lp_fee : undefined,
    feeBps: event.lp_fee_basis_points,
    cashback: isQuoteSol ? event.cashback : undefined,
    cashbackBps: event.cashback_fee_basis_points,
  }
}

const sum = (a: bigint | undefined, b: bigint | undefined): bigint | undefined =>
  a === undefined || b === undefined ? undefined : a + b
const less = (a: bigint | undefined, b: bigint | undefined): bigint | undefined =>
  a === undefined || b === undefined ? undefined : a - b
