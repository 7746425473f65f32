/**
 * Venue 9, Meteora DLMM: concentrated liquidity in bins. Pure.
 *
 * Swap comes by self-CPI, in newer programs beside Swap2Evt of the same swap. The input leg is net of its transfer
 * fee, the output leg whole; a host's fee leaves the input's vault again. No event has reserves or a price.
 */
import { addressOf, type Call, type EmittedEvent, keyOf } from '../call.ts'
import { DLMM_SWAP, DLMM_SWAP2 } from '../layouts/generated-meteora.ts'
import { DLMM_SWAP_AT } from '../layouts/instructions.ts'
import { readFields } from '../layouts/layout.ts'
import { type SwapRead, transferFees, vaultSide, WSOL_MINT } from '../venue-swap.ts'

const { vaultX: VAULT_X, vaultY: VAULT_Y, trader: TRADER } = DLMM_SWAP_AT

export function readMeteoraDlmm(call: Call): readonly SwapRead[] {
  const older = call.events.filter(({ discriminator }) => discriminator === DLMM_SWAP.discriminator)
  if (older.length > 0) return older.map((event) => readSwap(call, event))
  return call.events
    .filter(({ discriminator }) => discriminator === DLMM_SWAP2.discriminator)
    .map((event) => readSwap2(call, event))
}

function readSwap(call: Call, { payload, offset }: EmittedEvent): SwapRead {
  const event = readFields(DLMM_SWAP, payload, offset)
  return swapOf(call, {
    pool: event.lb_pair,
    isXIn: event.swap_for_y,
    paid: event.amount_in,
    sent: event.amount_out,
    feeOnInput: event.fee,
    hostFee: event.host_fee,
  })
}

function readSwap2(call: Call, { payload, offset }: EmittedEvent): SwapRead {
  const event = readFields(DLMM_SWAP2, payload, offset)
  const fee = (event.mm_fee ?? 0n) + (event.protocol_fee ?? 0n) + (event.limit_order_fee ?? 0n)
  return swapOf(call, {
    pool: event.lb_pair,
    isXIn: event.swap_for_y,
    paid: event.amount_in,
    sent: event.amount_out,
    feeOnInput: event.fees_on_input === true ? fee : undefined,
    hostFee: event.host_fee,
  })
}

type Facts = {
  pool: Uint8Array | undefined
  isXIn: boolean | undefined
  paid: bigint | undefined
  sent: bigint | undefined
  feeOnInput: bigint | undefined
  hostFee: bigint | undefined
}

function swapOf(call: Call, facts: Facts): SwapRead {
  const { isXIn, paid, sent } = facts
  if (isXIn === undefined || paid === undefined || sent === undefined) return 'no_amounts'
  const input = vaultSide(call, isXIn ? VAULT_X : VAULT_Y, paid)
  const output = vaultSide(call, isXIn ? VAULT_Y : VAULT_X, sent)
  if (input === undefined || output === undefined) return 'no_vault'
  const sides = transferFees(call, input, output)
  const hasHostFee = (facts.hostFee ?? 0n) > 0n
  return {
    pool: addressOf(facts.pool),
    trader: keyOf(call, TRADER),
    input: hasHostFee ? { ...sides.input, vault: undefined } : sides.input,
    output: sides.output,
    fee: input.mint === WSOL_MINT ? facts.feeOnInput : undefined,
  }
}
