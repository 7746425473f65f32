/**
 * Venue 7, Meteora DAMM v2: concentrated liquidity in one range. Pure.
 *
 * EvtSwap2 comes by self-CPI, in 2025 beside EvtSwap of the same swap, before that EvtSwap alone. The input leg is the
 * amount that reached the vault, a referral fee that leaves it again included; the reserves are the event's, net of
 * unclaimed fees.
 */
import { addressOf, type Call, type EmittedEvent, keyOf } from '../call.ts'
import { DAMM_V2_SWAP2 } from '../layouts/generated-meteora.ts'
import { DAMM_V2_SWAP_AT } from '../layouts/instructions.ts'
import { readFields } from '../layouts/layout.ts'
import { DAMM_V2_SWAP } from '../layouts/published.ts'
import { type SwapRead, transferFees, type VenueSwap, vaultSide } from '../venue-swap.ts'

const { vaultA: VAULT_A, vaultB: VAULT_B, payer: PAYER } = DAMM_V2_SWAP_AT
const A_TO_B = 0

type Sides = Pick<VenueSwap, 'input' | 'output'>

export function readMeteoraDammV2(call: Call): readonly SwapRead[] {
  const newer = call.events.filter((event) => event.discriminator === DAMM_V2_SWAP2.discriminator)
  if (newer.length > 0) return newer.map((event) => readSwap2(call, event))
  return call.events
    .filter((event) => event.discriminator === DAMM_V2_SWAP.discriminator)
    .map((event) => readSwap(call, event))
}

function readSwap2(call: Call, emitted: EmittedEvent): SwapRead {
  const event = readFields(DAMM_V2_SWAP2, emitted.payload, emitted.offset)
  const paid = event['swap_result.included_fee_input_amount']
  const sent = event['swap_result.output_amount']
  if (paid === undefined || sent === undefined) return 'no_amounts'
  const isAToB = event.trade_direction === A_TO_B
  const [reserveIn, reserveOut] = isAToB
    ? [event.reserve_a_amount, event.reserve_b_amount]
    : [event.reserve_b_amount, event.reserve_a_amount]
  const feeIn = (event.included_transfer_fee_amount_in ?? paid) - paid
  const feeOut = sent - (event.excluded_transfer_fee_amount_out ?? sent)
  const input = vaultSide(call, isAToB ? VAULT_A : VAULT_B, paid, feeIn, reserveIn)
  const output = vaultSide(call, isAToB ? VAULT_B : VAULT_A, sent, feeOut, reserveOut)
  if (input === undefined || output === undefined) return 'no_vault'
  const sqrtX64 = event['swap_result.next_sqrt_price']
  return {
    pool: addressOf(event.pool),
    trader: keyOf(call, PAYER),
    ...checkable(event.has_referral, { input, output }),
    priceAfter:
      sqrtX64 === undefined ? undefined : priceOf(sqrtX64, isAToB, input.mint, output.mint),
  }
}

function readSwap(call: Call, emitted: EmittedEvent): SwapRead {
  const event = readFields(DAMM_V2_SWAP, emitted.payload, emitted.offset)
  const paid = event.actual_amount_in
  const sent = event['swap_result.output_amount']
  if (paid === undefined || sent === undefined) return 'no_amounts'
  const isAToB = event.trade_direction === A_TO_B
  const input = vaultSide(call, isAToB ? VAULT_A : VAULT_B, paid)
  const output = vaultSide(call, isAToB ? VAULT_B : VAULT_A, sent)
  if (input === undefined || output === undefined) return 'no_vault'
  const sqrtX64 = event['swap_result.next_sqrt_price']
  return {
    pool: addressOf(event.pool),
    trader: keyOf(call, PAYER),
    ...checkable(event.has_referral, transferFees(call, input, output)),
    priceAfter:
      sqrtX64 === undefined ? undefined : priceOf(sqrtX64, isAToB, input.mint, output.mint),
  }
}

/** A referral fee leaves a vault at once: its balance does not move by the leg. */
const checkable = (hasReferral: boolean | undefined, { input, output }: Sides): Sides =>
  hasReferral === true
    ? { input: { ...input, vault: undefined }, output: { ...output, vault: undefined } }
    : { input, output }

const priceOf = (sqrtX64: bigint, isAToB: boolean, input: string, output: string) => ({
  sqrtX64,
  base: isAToB ? input : output,
})
