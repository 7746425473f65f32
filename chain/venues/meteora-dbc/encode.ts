/**
 * Writes swaps and pool events of venue 8. Pure.
 */

import { WSOL_MINT } from '../../decoder/venue-swap.ts'
import { anchorTagOf, directionOf } from '../../encoder/anchor-swap.ts'
import { writeFields } from '../../encoder/payload.ts'
import { ANY } from '../../encoder/pool-call.ts'
import { rootX64, type SwapCall } from '../../encoder/swap-call.ts'
import type { PoolWriter, VenueEncoder } from '../../encoder/venue-encoder.ts'
import {
  DBC_CREATE_POOL,
  DBC_CREATE_POOL_WITH_HOOK,
  DBC_SWAP,
  DBC_SWAP2,
  DBC_SWAP2_WITH_HOOK,
} from './generated.ts'
import { DBC_CREATION_AT, DBC_SWAP_AT } from './layout.ts'

function writeSwap(call: SwapCall): void {
  const { swap, form, writer, trader, program } = call
  const protocolFee = BigInt(swap.fee) / 4n
  const fees = BigInt(swap.fee) + protocolFee
  // Fees stay in the vault of SOL, in addition to the curve's reserve.
  call.leaves(call.sol.mint, -fees)
  const { sol, token } = call
  const accounts = { baseVault: token.vault.key, quoteVault: sol.vault.key, payer: trader }
  call.call({ tag: anchorTagOf(call), at: DBC_SWAP_AT }, accounts, 15, () => {
    if (swap.isBuy) call.pay(sol.leg + fees)
    else call.pay()
    call.send(swap.isBuy ? token.leg : sol.leg - fees)
    if (form.age > 0) writer.emit(program, dbcSwap2(call, protocolFee))
    if (form.age < 4) writer.emit(program, dbcSwap(call, protocolFee))
  })
}

function dbcResult({ swap, sol, token }: SwapCall, protocolFee: bigint) {
  const tradingFee = BigInt(swap.fee)
  const fees = tradingFee + protocolFee
  return {
    paid: swap.isBuy ? sol.leg + fees : token.leg,
    paidToCurve: swap.isBuy ? sol.leg : token.leg,
    sent: swap.isBuy ? token.leg : sol.leg - fees,
    // The price of this swap: the simulated market publishes none.
    root: rootX64(Number(sol.leg) / Number(token.leg)),
    tradingFee,
  }
}

function dbcSwap(call: SwapCall, protocolFee: bigint): Buffer {
  const { swap, seconds } = call
  const { paid, paidToCurve, sent, root, tradingFee } = dbcResult(call, protocolFee)
  return writeFields(DBC_SWAP, {
    pool: swap.pairAddress,
    trade_direction: directionOf(!swap.isBuy),
    'params.amount_in': paid,
    'swap_result.actual_input_amount': paidToCurve,
    'swap_result.output_amount': sent,
    'swap_result.next_sqrt_price': root,
    'swap_result.trading_fee': tradingFee,
    'swap_result.protocol_fee': protocolFee,
    amount_in: paid,
    current_timestamp: seconds,
  })
}

function dbcSwap2(call: SwapCall, protocolFee: bigint): Buffer {
  const { swap, form, sol, seconds } = call
  const { paid, paidToCurve, sent, root, tradingFee } = dbcResult(call, protocolFee)
  const values = {
    pool: swap.pairAddress,
    trade_direction: directionOf(!swap.isBuy),
    'swap_parameters.amount_0': paid,
    'swap_result.included_fee_input_amount': paid,
    'swap_result.excluded_fee_input_amount': paidToCurve,
    'swap_result.output_amount': sent,
    'swap_result.next_sqrt_price': root,
    'swap_result.trading_fee': tradingFee,
    'swap_result.protocol_fee': protocolFee,
    quote_reserve_amount: sol.reserve,
    current_timestamp: seconds,
  }
  return form.age > 3 ? writeFields(DBC_SWAP2_WITH_HOOK, values) : writeFields(DBC_SWAP2, values)
}

const create: PoolWriter = (call) => {
  const { event, form, writer, program, owner } = call
  const accounts = { baseMint: event.tokenAddress, quoteMint: WSOL_MINT }
  call.call({ tag: ANY.tag, at: DBC_CREATION_AT }, accounts, () => {
    const values = { pool: event.pairAddress, creator: owner, base_mint: event.tokenAddress }
    writer.emit(
      program,
      form.age > 3
        ? writeFields(DBC_CREATE_POOL_WITH_HOOK, values)
        : writeFields(DBC_CREATE_POOL, values),
    )
  })
}

export const encoder: VenueEncoder = {
  writeSwap,
  vaults: 'unstated',
  create,
}
