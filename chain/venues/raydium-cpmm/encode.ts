/**
 * Writes swaps and pool events of venue 5. Pure.
 */

import { writeFields } from '../../encoder/payload.ts'
import { changedByInstruction, createdByInstruction } from '../../encoder/pool-writers.ts'
import { isExactOut, type SwapCall } from '../../encoder/swap-call.ts'
import type { VenueEncoder } from '../../encoder/venue-encoder.ts'
import { CPMM_SWAP, RAYDIUM_CPMM_POOLS, RAYDIUM_CPMM_SWAPS } from './layout.ts'

/** Version 2 of the event comes from this age on. */
const CPMM_V2_FROM_AGE = 3

function writeSwap(call: SwapCall): void {
  const { swap, form, writer, trader, input, output } = call
  const isOut = isExactOut(call)
  const layout = isOut ? RAYDIUM_CPMM_SWAPS.baseOut : RAYDIUM_CPMM_SWAPS.baseIn
  const accounts = {
    payer: trader,
    pool: swap.pairAddress,
    inputVault: input.vault.key,
    outputVault: output.vault.key,
  }
  const values = {
    pool_id: swap.pairAddress,
    input_vault_before: input.reserve - input.leg,
    output_vault_before: output.reserve + output.leg,
    input_amount: input.leg,
    output_amount: output.leg,
    input_transfer_fee: input.fee,
    output_transfer_fee: output.fee,
    base_input: !isOut,
    input_mint: input.mint,
    output_mint: output.mint,
    trade_fee: call.feeOfInput,
  }
  const last = form.age < CPMM_V2_FROM_AGE ? 'base_input' : undefined
  call.call(layout, accounts, 13, () => {
    call.pay()
    call.send()
    writer.logEvent(writeFields(CPMM_SWAP, values, last))
  })
}

const create = createdByInstruction(
  ({ age }) => RAYDIUM_CPMM_POOLS[age > 2 ? 'createdWithPermission' : 'created'],
  true,
)

const changeLiquidity = changedByInstruction(
  (isAdded) => RAYDIUM_CPMM_POOLS[isAdded ? 'added' : 'removed'],
)

export const encoder: VenueEncoder = {
  writeSwap,
  vaults: 'reserves_and_owed',
  create,
  changeLiquidity,
}
