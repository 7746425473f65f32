/**
 * Writes swaps and pool events of venue 7. Pure.
 */

import { anchorTagOf, directionOf, REFERRER, referralOf } from '../../encoder/anchor-swap.ts'
import { writeFields } from '../../encoder/payload.ts'
import { changedWithEvent, createdWithEvent } from '../../encoder/pool-writers.ts'
import { isTokenFirst, type SwapCall } from '../../encoder/swap-call.ts'
import type { VenueEncoder } from '../../encoder/venue-encoder.ts'
import { DAMM_V2_CREATE_POOL, DAMM_V2_LIQUIDITY, DAMM_V2_SWAP2 } from './generated.ts'
import {
  DAMM_V2_ADD_LIQUIDITY,
  DAMM_V2_REMOVE_LIQUIDITY,
  DAMM_V2_SWAP,
  DAMM_V2_SWAP_AT,
} from './layout.ts'

/** Values of `collect_fee_mode`: the fee is one of the output, or always one of token B. */
const FEE_OF_OUTPUT = 0

const FEE_OF_B = 1

/** A pool whose token B is SOL takes its fee in SOL, any other one in what it sends. */
const dammFeeMode = (isAToken: boolean): number => (isAToken ? FEE_OF_B : FEE_OF_OUTPUT)

/** The fee in the mint that it is taken of; the simulated one is in SOL. */
function dammFee({ swap, output }: SwapCall, isAToken: boolean): bigint {
  const isInSol = dammFeeMode(isAToken) === FEE_OF_B || !swap.isBuy
  return isInSol ? BigInt(swap.fee) : (output.leg * BigInt(swap.feeBps)) / 10_000n
}

function writeSwap(call: SwapCall): void {
  const { swap, form, writer, trader, program } = call
  const isAToken = isTokenFirst(swap.pairAddress)
  const referral = referralOf(call)
  call.leaves(call.input.mint, referral)
  const [a, b] = isAToken ? [call.token, call.sol] : [call.sol, call.token]
  const accounts = { vaultA: a.vault.key, vaultB: b.vault.key, payer: trader }
  call.call({ tag: anchorTagOf(call), at: DAMM_V2_SWAP_AT }, accounts, 14, () => {
    call.pay()
    call.send()
    call.giveAway(call.input.vault, REFERRER, referral)
    if (form.age < 3) writer.emit(program, dammSwap(call, isAToken, referral))
    if (form.age > 0) writer.emit(program, dammSwap2(call, isAToken, referral))
  })
}

function dammSwap(call: SwapCall, isAToken: boolean, referral: bigint): Buffer {
  const { swap, input, output, seconds } = call
  return writeFields(DAMM_V2_SWAP, {
    pool: swap.pairAddress,
    trade_direction: directionOf(call.isFirstIn(isAToken)),
    has_referral: referral > 0n,
    'params.amount_in': input.leg + input.fee,
    'swap_result.output_amount': output.leg,
    'swap_result.next_sqrt_price': call.sqrtPriceX64(swap.priceAfter, isAToken),
    'swap_result.lp_fee': dammFee(call, isAToken),
    'swap_result.referral_fee': referral,
    actual_amount_in: input.leg,
    current_timestamp: seconds,
  })
}

function dammSwap2(call: SwapCall, isAToken: boolean, referral: bigint): Buffer {
  const { swap, input, output, sol, token, seconds } = call
  const [a, b] = isAToken ? [token, sol] : [sol, token]
  const fee = dammFee(call, isAToken)
  const isFeeOfInput = dammFeeMode(isAToken) === FEE_OF_B && swap.isBuy
  return writeFields(DAMM_V2_SWAP2, {
    pool: swap.pairAddress,
    trade_direction: directionOf(call.isFirstIn(isAToken)),
    collect_fee_mode: dammFeeMode(isAToken),
    has_referral: referral > 0n,
    'params.amount_0': input.leg + input.fee,
    'swap_result.included_fee_input_amount': input.leg,
    'swap_result.excluded_fee_input_amount': isFeeOfInput ? input.leg - fee : input.leg,
    'swap_result.output_amount': output.leg,
    'swap_result.next_sqrt_price': call.sqrtPriceX64(swap.priceAfter, isAToken),
    'swap_result.claiming_fee': fee,
    'swap_result.referral_fee': referral,
    included_transfer_fee_amount_in: input.leg + input.fee,
    included_transfer_fee_amount_out: output.leg,
    excluded_transfer_fee_amount_out: output.leg - output.fee,
    current_timestamp: seconds,
    reserve_a_amount: a.reserve,
    reserve_b_amount: b.reserve,
  })
}

const create = createdWithEvent(
  ({ mints: [first, second], event, owner }) =>
    writeFields(DAMM_V2_CREATE_POOL, {
      pool: event.pairAddress,
      token_a_mint: first,
      token_b_mint: second,
      creator: owner,
      payer: owner,
    }),
  false,
  true,
)

const changeLiquidity = changedWithEvent(({ event, form, owner }, isAdded) => {
  const pool = event.pairAddress
  if (form.age > 0) {
    return writeFields(DAMM_V2_LIQUIDITY, { pool, owner, change_type: isAdded ? 0 : 1 })
  }
  return isAdded
    ? writeFields(DAMM_V2_ADD_LIQUIDITY, { pool })
    : writeFields(DAMM_V2_REMOVE_LIQUIDITY, { pool })
})

export const encoder: VenueEncoder = {
  writeSwap,
  vaults: 'reserves_and_owed',
  create,
  changeLiquidity,
}
