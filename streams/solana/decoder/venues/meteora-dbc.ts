/**
 * Venue 8, Meteora dynamic bonding curve: launches that trade on a curve. Pure.
 *
 * EvtSwap2 comes by self-CPI, beside EvtSwap of the same swap; older programs emit EvtSwap alone. The curve's leg
 * in SOL leaves the fees outside, the token's leg is the amount that moved. The vault holds unclaimed fees, so that the
 * reserve is the event's; no event has the token's reserve.
 */
import { addressOf, type Call, type EmittedEvent, keyOf } from '../call.ts'
import { DBC_SWAP, DBC_SWAP2, DBC_SWAP2_WITH_HOOK } from '../layouts/generated-meteora.ts'
import { DBC_SWAP_AT } from '../layouts/instructions.ts'
import { readFields } from '../layouts/layout.ts'
import { type Side, type SwapRead, vaultSide } from '../venue-swap.ts'

const { baseVault: BASE_VAULT, quoteVault: QUOTE_VAULT, payer: PAYER } = DBC_SWAP_AT
const BASE_TO_QUOTE = 0

const SWAP2 = new Set<string>([DBC_SWAP2.discriminator, DBC_SWAP2_WITH_HOOK.discriminator])

/** Fields that both events carry. */
type Facts = {
  pool: Uint8Array | undefined
  isSell: boolean
  /** The amount that the trader paid, and the part of it that reached the curve. */
  paid: bigint | undefined
  paidToCurve: bigint | undefined
  sent: bigint | undefined
  fees: bigint
  quoteReserve: bigint | undefined
  sqrtPrice: bigint | undefined
}

export function readMeteoraDbc(call: Call): readonly SwapRead[] {
  const newer = call.events.filter(({ discriminator }) => SWAP2.has(discriminator))
  if (newer.length > 0) return newer.map((event) => swapOf(call, factsOfSwap2(event)))
  return call.events
    .filter(({ discriminator }) => discriminator === DBC_SWAP.discriminator)
    .map((event) => swapOf(call, factsOfSwap(event)))
}

function factsOfSwap2({ payload, offset }: EmittedEvent): Facts {
  const event = readFields(DBC_SWAP2, payload, offset)
  return {
    pool: event.pool,
    isSell: event.trade_direction === BASE_TO_QUOTE,
    paid: event['swap_result.included_fee_input_amount'],
    paidToCurve: event['swap_result.excluded_fee_input_amount'],
    sent: event['swap_result.output_amount'],
    fees:
      (event['swap_result.trading_fee'] ?? 0n) +
      (event['swap_result.protocol_fee'] ?? 0n) +
      (event['swap_result.referral_fee'] ?? 0n),
    quoteReserve: event.quote_reserve_amount,
    sqrtPrice: event['swap_result.next_sqrt_price'],
  }
}

function factsOfSwap({ payload, offset }: EmittedEvent): Facts {
  const event = readFields(DBC_SWAP, payload, offset)
  return {
    pool: event.pool,
    isSell: event.trade_direction === BASE_TO_QUOTE,
    paid: event.amount_in,
    paidToCurve: event['swap_result.actual_input_amount'],
    sent: event['swap_result.output_amount'],
    fees:
      (event['swap_result.trading_fee'] ?? 0n) +
      (event['swap_result.protocol_fee'] ?? 0n) +
      (event['swap_result.referral_fee'] ?? 0n),
    quoteReserve: undefined,
    sqrtPrice: event['swap_result.next_sqrt_price'],
  }
}

function swapOf(call: Call, facts: Facts): SwapRead {
  const { isSell, paid, paidToCurve, sent, fees } = facts
  if (paid === undefined || paidToCurve === undefined || sent === undefined) return 'no_amounts'
  const input = vaultSide(call, isSell ? BASE_VAULT : QUOTE_VAULT, isSell ? paid : paidToCurve)
  // The fees of a sell are always taken from the quote that leaves the curve.
  const output = vaultSide(call, isSell ? QUOTE_VAULT : BASE_VAULT, isSell ? sent + fees : sent)
  if (input === undefined || output === undefined) return 'no_vault'
  const base = isSell ? input.mint : output.mint
  const quoteReserve = facts.quoteReserve
  return {
    pool: addressOf(facts.pool),
    trader: keyOf(call, PAYER),
    input: isSell ? tokenSide(input) : quoteSide(input, quoteReserve),
    output: isSell ? quoteSide(output, quoteReserve) : tokenSide(output),
    priceAfter: facts.sqrtPrice === undefined ? undefined : { sqrtX64: facts.sqrtPrice, base },
  }
}

/** The vault of the quote holds fees, and its balance moves by more than the curve's leg. */
const quoteSide = (side: Side, reserve: bigint | undefined): Side => ({
  ...side,
  reserve,
  vault: undefined,
})
const tokenSide = (side: Side): Side => ({ ...side, reserve: undefined })
