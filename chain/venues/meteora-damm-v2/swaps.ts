/**
 * Venue 7, Meteora DAMM v2: concentrated liquidity in one range. Pure.
 *
 * EvtSwap2 comes by self-CPI, in 2025 alongside EvtSwap of the same swap, before that EvtSwap only. The input leg is the
 * amount that reached the vault, a referral fee that leaves it again included; the reserves are the event's, net of
 * unclaimed fees. The fee is one of the input or of the output, as the pool was made. Cut logs lose nothing.
 */
import { addressOf, type Call, type EmittedEvent, keyOf } from '../../decoder/call.ts'
import { readFields } from '../../decoder/layout.ts'
import {
  type Sides,
  type StatedSide,
  type SwapRead,
  shareLeft,
  vaultSide,
  WSOL_MINT,
} from '../../decoder/venue-swap.ts'
import { DAMM_V2_SWAP2 } from './generated.ts'
import { DAMM_V2_SWAP, DAMM_V2_SWAP_AT, DAMM_V2_SWAP_TAGS } from './layout.ts'

const { vaultA: VAULT_A, vaultB: VAULT_B, payer: PAYER } = DAMM_V2_SWAP_AT

const SWAPS = new Set<string>(DAMM_V2_SWAP_TAGS)

const A_TO_B = 0

/** A `collect_fee_mode`: a part of the fee is added to the liquidity. */
const COMPOUNDING = 2

export function readSwaps(call: Call): readonly SwapRead[] {
  const newer = call.events.filter((event) => event.discriminator === DAMM_V2_SWAP2.discriminator)
  if (newer.length > 0) return newer.map((event) => readSwap2(call, event))
  const older = call.events.filter((event) => event.discriminator === DAMM_V2_SWAP.discriminator)
  if (older.length === 0 && SWAPS.has(call.discriminator)) return ['no_event']
  return older.map((event) => readSwap(call, event))
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
  const sides = sidesOf(call, isAToB, event['swap_result.referral_fee'], [
    [paid, { transferFee: feeIn, reserve: reserveIn }],
    [sent, { transferFee: feeOut, reserve: reserveOut }],
  ])
  if (sides === undefined) return 'no_vault'
  const isFeeOfInput = (event['swap_result.excluded_fee_input_amount'] ?? paid) !== paid
  const compounded =
    event.collect_fee_mode === COMPOUNDING ? event['swap_result.compounding_fee'] : undefined
  const claimed = event['swap_result.claiming_fee']
  return {
    pool: addressOf(event.pool),
    trader: keyOf(call, PAYER),
    ...sides,
    fee:
      (isFeeOfInput ? sides.input : sides.output).mint === WSOL_MINT && claimed !== undefined
        ? claimed + (compounded ?? 0n)
        : undefined,
    priceAfter: priceOf(event['swap_result.next_sqrt_price'], isAToB, sides),
  }
}

function readSwap(call: Call, emitted: EmittedEvent): SwapRead {
  const event = readFields(DAMM_V2_SWAP, emitted.payload, emitted.offset)
  const paid = event.actual_amount_in
  const sent = event['swap_result.output_amount']
  if (paid === undefined || sent === undefined) return 'no_amounts'
  const isAToB = event.trade_direction === A_TO_B
  const sides = sidesOf(call, isAToB, event['swap_result.referral_fee'], [
    [paid, {}],
    [sent, {}],
  ])
  if (sides === undefined) return 'no_vault'
  // Every pool takes the fee of token B when B is the output; else this event does not state the token.
  const isFeeInSol = isAToB && sides.output.mint === WSOL_MINT
  return {
    pool: addressOf(event.pool),
    trader: keyOf(call, PAYER),
    ...sides,
    fee: isFeeInSol ? event['swap_result.lp_fee'] : undefined,
    priceAfter: priceOf(event['swap_result.next_sqrt_price'], isAToB, sides),
  }
}

type StatedAmount = readonly [baseUnits: bigint, stated: StatedSide]

/** A referral fee leaves the vault of the token that the fee is taken of. */
function sidesOf(
  call: Call,
  isAToB: boolean,
  referral: bigint | undefined,
  [[paid, statedIn], [sent, statedOut]]: readonly [StatedAmount, StatedAmount],
): Sides | undefined {
  const [vaultIn, vaultOut] = isAToB ? [VAULT_A, VAULT_B] : [VAULT_B, VAULT_A]
  const leftIn = shareLeft(call, vaultIn, referral, false)
  const leftOut = leftIn > 0n ? 0n : shareLeft(call, vaultOut, referral, true)
  const input = vaultSide(call, vaultIn, paid, { ...statedIn, beside: -leftIn })
  const output = vaultSide(call, vaultOut, sent, { ...statedOut, beside: leftOut })
  return input === undefined || output === undefined ? undefined : { input, output }
}

const priceOf = (sqrtX64: bigint | undefined, isAToB: boolean, { input, output }: Sides) =>
  sqrtX64 === undefined ? undefined : { sqrtX64, base: (isAToB ? input : output).mint }
