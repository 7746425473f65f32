/**
 * Venue 9, Meteora DLMM: concentrated liquidity in bins. Pure.
 *
 * Swap comes by self-CPI, in newer programs alongside Swap2Evt of the same swap. The legs are what the vaults moved: events
 * state an input before or after its transfer fee. A host's fee leaves the vault again. Swap2Evt states whether the fee is
 * one of the input, as it is in older programs. No event has a price or reserves, which are the vaults' balances. Cut logs lose
 * nothing.
 */
import { addressOf, type Call, type EmittedEvent, keyOf } from '../../decoder/call.ts'
import { readFields } from '../../decoder/layout.ts'
import { type SwapRead, shareLeft, vaultSide, WSOL_MINT } from '../../decoder/venue-swap.ts'
import { DLMM_SWAP, DLMM_SWAP2 } from './generated.ts'
import { DLMM_SWAP_AT, DLMM_SWAP_TAGS } from './layout.ts'

const { vaultX: VAULT_X, vaultY: VAULT_Y, trader: TRADER } = DLMM_SWAP_AT

const SWAPS = new Set<string>(DLMM_SWAP_TAGS)

export function readSwaps(call: Call): readonly SwapRead[] {
  const eventsOf = (name: string) =>
    call.events.filter(({ discriminator }) => discriminator === name)
  const older = eventsOf(DLMM_SWAP.discriminator)
  const newer = eventsOf(DLMM_SWAP2.discriminator).map(factsOfSwap2)
  if (older.length > 0) {
    return older.map((event, at) => {
      const { isFeeOfInput = true } = newer[at] ?? {}
      return swapOf(call, { ...factsOfSwap(event), isFeeOfInput })
    })
  }
  if (newer.length === 0 && SWAPS.has(call.discriminator)) return ['no_event']
  return newer.map((facts) => swapOf(call, facts))
}

function factsOfSwap({ payload, offset }: EmittedEvent): Facts {
  const event = readFields(DLMM_SWAP, payload, offset)
  return {
    pool: event.lb_pair,
    isXIn: event.swap_for_y,
    paid: event.amount_in,
    sent: event.amount_out,
    fee: event.fee,
    isFeeOfInput: true,
    hostFee: event.host_fee,
  }
}

function factsOfSwap2({ payload, offset }: EmittedEvent): Facts {
  const event = readFields(DLMM_SWAP2, payload, offset)
  const parts = [event.mm_fee, event.protocol_fee, event.limit_order_fee]
  return {
    pool: event.lb_pair,
    isXIn: event.swap_for_y,
    paid: event.amount_in,
    sent: event.amount_out,
    fee: event.mm_fee === undefined ? undefined : parts.reduce(plus, 0n),
    isFeeOfInput: event.fees_on_input,
    hostFee: event.host_fee,
  }
}

const plus = (sum: bigint, part: bigint | undefined): bigint => sum + (part ?? 0n)

type Facts = {
  pool: Uint8Array | undefined
  isXIn: boolean | undefined
  paid: bigint | undefined
  sent: bigint | undefined
  fee: bigint | undefined
  /** Whether the fee is one of the input; undefined where the event does not state it. */
  isFeeOfInput: boolean | undefined
  hostFee: bigint | undefined
}

function swapOf(call: Call, facts: Facts): SwapRead {
  const { isXIn, paid, sent, fee, isFeeOfInput, hostFee } = facts
  if (isXIn === undefined || paid === undefined || sent === undefined) return 'no_amounts'
  const [vaultIn, vaultOut] = isXIn ? [VAULT_X, VAULT_Y] : [VAULT_Y, VAULT_X]
  const leftIn = shareLeft(call, vaultIn, hostFee, false)
  const leftOut = leftIn > 0n ? 0n : shareLeft(call, vaultOut, hostFee, true)
  const input = vaultSide(call, vaultIn, paid, { beside: -leftIn })
  const output = vaultSide(call, vaultOut, sent, { beside: leftOut })
  if (input === undefined || output === undefined) return 'no_vault'
  const isFeeInSol =
    isFeeOfInput !== undefined && (isFeeOfInput ? input : output).mint === WSOL_MINT
  return {
    pool: addressOf(facts.pool),
    trader: keyOf(call, TRADER),
    input,
    output,
    fee: isFeeInSol ? fee : undefined,
  }
}
