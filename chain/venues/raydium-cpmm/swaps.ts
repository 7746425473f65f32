/**
 * Venue 5, Raydium CPMM: a constant product pool. Pure.
 *
 * SwapEvent comes in the logs; version 2 adds the mints and fees at its end. The input is net of its transfer fee,
 * the output whole; the reserves are those before the trade, without uncollected fees. The fee is one of the input. Where logs
 * are cut, there is no fee and the reserves are the vaults' balances.
 */

import { addressOf, type Call, keyOf } from '../../decoder/call.ts'
import { type Fields, readFields } from '../../decoder/layout.ts'
import {
  movedReserve,
  type SwapRead,
  sidesByTransfers,
  vaultSide,
  WSOL_MINT,
} from '../../decoder/venue-swap.ts'
import { CPMM_SWAP, RAYDIUM_CPMM_SWAPS } from './layout.ts'

const SWAPS = new Set<string>(Object.values(RAYDIUM_CPMM_SWAPS).map(({ tag }) => tag))

const {
  payer: PAYER,
  pool: POOL,
  inputVault: INPUT_VAULT,
  outputVault: OUTPUT_VAULT,
} = RAYDIUM_CPMM_SWAPS.baseIn.at

export function readSwaps(call: Call): readonly SwapRead[] {
  const event = call.events.find(({ discriminator }) => discriminator === CPMM_SWAP.discriminator)
  if (event !== undefined) {
    return [readEvent(call, readFields(CPMM_SWAP, event.payload, event.offset))]
  }
  if (!SWAPS.has(call.discriminator)) return []
  const sides = sidesByTransfers(call, INPUT_VAULT, OUTPUT_VAULT)
  return [
    sides === undefined
      ? 'no_event'
      : { pool: keyOf(call, POOL), trader: keyOf(call, PAYER), ...sides },
  ]
}

function readEvent(call: Call, event: Fields<typeof CPMM_SWAP>): SwapRead {
  const { input_amount: paid, output_amount: sent } = event
  if (paid === undefined || sent === undefined) return 'no_amounts'
  const [beforeIn, beforeOut] = [event.input_vault_before, event.output_vault_before]
  const input = vaultSide(call, INPUT_VAULT, paid, {
    transferFee: event.input_transfer_fee,
    ...movedReserve(beforeIn, paid, 1n),
  })
  const output = vaultSide(call, OUTPUT_VAULT, sent, {
    transferFee: event.output_transfer_fee,
    ...movedReserve(beforeOut, sent, -1n),
  })
  if (input === undefined || output === undefined) return 'no_vault'
  return {
    pool: addressOf(event.pool_id),
    trader: keyOf(call, PAYER),
    input,
    output,
    fee: input.mint === WSOL_MINT ? event.trade_fee : undefined,
  }
}
