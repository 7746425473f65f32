/**
 * Writes swaps and pool events of venue 9. Pure.
 */

import { anchorTagOf, REFERRER, referralOf } from '../../encoder/anchor-swap.ts'
import { addressOf } from '../../encoder/keys.ts'
import { writeFields } from '../../encoder/payload.ts'
import { changedWithEvent, createdWithEvent } from '../../encoder/pool-writers.ts'
import { isTokenFirst, type SwapCall } from '../../encoder/swap-call.ts'
import type { VenueEncoder } from '../../encoder/venue-encoder.ts'
import {
  DLMM_ADD_LIQUIDITY,
  DLMM_CREATE_POOL,
  DLMM_REMOVE_LIQUIDITY,
  DLMM_SWAP,
  DLMM_SWAP2,
} from './generated.ts'
import { DLMM_SWAP_AT } from './layout.ts'

function writeSwap(call: SwapCall): void {
  const { swap, form, writer, trader, program } = call
  const isXToken = isTokenFirst(swap.pairAddress)
  const hostFee = referralOf(call)
  call.leaves(call.input.mint, hostFee)
  const [x, y] = isXToken ? [call.token, call.sol] : [call.sol, call.token]
  const accounts = { vaultX: x.vault.key, vaultY: y.vault.key, trader }
  call.call({ tag: anchorTagOf(call), at: DLMM_SWAP_AT }, accounts, 15, () => {
    call.pay()
    call.giveAway(call.input.vault, REFERRER, hostFee)
    call.send()
    if (form.age < 4) writer.emit(program, dlmmSwap(call, isXToken, hostFee))
    if (form.age > 1) writer.emit(program, dlmmSwap2(call, isXToken, hostFee))
  })
}

/** From this age on the event's input is what the trader sent: before its transfer fee. */
const DLMM_BEFORE_FEE_FROM_AGE = 2

const dlmmPaid = ({ form, input }: SwapCall): bigint =>
  form.age < DLMM_BEFORE_FEE_FROM_AGE ? input.leg : input.leg + input.fee

function dlmmSwap(call: SwapCall, isXToken: boolean, hostFee: bigint): Buffer {
  const { swap, trader, output } = call
  return writeFields(DLMM_SWAP, {
    lb_pair: swap.pairAddress,
    from: trader,
    start_bin_id: -300,
    end_bin_id: -302,
    amount_in: dlmmPaid(call),
    amount_out: output.leg,
    swap_for_y: call.isFirstIn(isXToken),
    fee: call.feeOfInput,
    protocol_fee: call.feeOfInput / 10n,
    fee_bps: 25n,
    host_fee: hostFee,
  })
}

function dlmmSwap2(call: SwapCall, isXToken: boolean, hostFee: bigint): Buffer {
  const { swap, trader, output } = call
  const fee = call.feeOfInput
  return writeFields(DLMM_SWAP2, {
    lb_pair: swap.pairAddress,
    from: trader,
    start_bin_id: -300,
    end_bin_id: -302,
    swap_for_y: call.isFirstIn(isXToken),
    fee_bps: 25n,
    amount_in: dlmmPaid(call),
    amount_out: output.leg,
    mm_fee: fee - fee / 10n,
    protocol_fee: fee / 10n,
    host_fee: hostFee,
    fees_on_input: true,
    fees_on_token_x: call.isFirstIn(isXToken),
  })
}

const create = createdWithEvent(({ mints: [first, second], event }) => {
  const mints = { token_x: first, token_y: second }
  return writeFields(DLMM_CREATE_POOL, { ...mints, lb_pair: event.pairAddress })
})

const changeLiquidity = changedWithEvent(({ event, owner }, isAdded) => {
  const values = {
    lb_pair: event.pairAddress,
    from: owner,
    position: addressOf(`position ${owner}`),
  }
  return isAdded
    ? writeFields(DLMM_ADD_LIQUIDITY, values)
    : writeFields(DLMM_REMOVE_LIQUIDITY, values)
})

export const encoder: VenueEncoder = {
  writeSwap,
  vaults: 'reserves',
  create,
  changeLiquidity,
}
