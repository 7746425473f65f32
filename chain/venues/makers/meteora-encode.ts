/**
 * Swaps of venues 7 to 10. Pure.
 */

import { addressOf } from '../../encoder/keys.ts'
import { writeFields } from '../../encoder/payload.ts'
import { isTokenFirst, rootX64, type SwapCall } from '../../encoder/swap-call.ts'
import {
  DAMM_V2_SWAP2,
  DBC_SWAP,
  DBC_SWAP2,
  DBC_SWAP2_WITH_HOOK,
  DLMM_SWAP,
  DLMM_SWAP2,
} from '../../layouts/generated-meteora.ts'
import {
  DAMM_V2_SWAP_AT,
  DBC_SWAP_AT,
  DLMM_SWAP_AT,
  DYNAMIC_AMM_SWAPS,
} from '../../layouts/instructions.ts'
import { DAMM_V2_SWAP, DYNAMIC_AMM_SWAP } from '../../layouts/published.ts'

/** Anchor's `swap` and `swap2`; no reader distinguishes them. */
const SWAP_TAGS = ['f8c69e91e17587c8', '414b3f4ceb5b5b88'] as const
const REFERRER = addressOf('referrer')
const PROTOCOL = addressOf('protocol')
const VAULT_PROGRAM = addressOf('vault program')
/** A referrer's part of a leg. */
const REFERRAL_DIVISOR = 2_000n
const A_TO_B = 0
const B_TO_A = 1

const tagOf = ({ form }: SwapCall): string => SWAP_TAGS[form.age > 2 ? 1 : 0]
const directionOf = (isFirstIn: boolean): number => (isFirstIn ? A_TO_B : B_TO_A)

/** Base units of the input that leave its vault again for a referrer. */
function referralOf({ form, input, output }: SwapCall): bigint {
  if (!form.isReferred || input.fee + output.fee > 0n) return 0n
  return input.leg / REFERRAL_DIVISOR
}

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

export function writeMeteoraDammV2(call: SwapCall): void {
  const { swap, form, writer, trader, program } = call
  const isAToken = isTokenFirst(swap.pairAddress)
  const referral = referralOf(call)
  call.leaves(call.input.mint, referral)
  const [a, b] = isAToken ? [call.token, call.sol] : [call.sol, call.token]
  const accounts = { vaultA: a.vault.key, vaultB: b.vault.key, payer: trader }
  call.call({ tag: tagOf(call), at: DAMM_V2_SWAP_AT }, accounts, 14, () => {
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

export function writeMeteoraDbc(call: SwapCall): void {
  const { swap, form, writer, trader, program } = call
  const protocolFee = BigInt(swap.fee) / 4n
  const fees = BigInt(swap.fee) + protocolFee
  // Fees stay in the vault of SOL, beside the curve's reserve.
  call.leaves(call.sol.mint, -fees)
  const { sol, token } = call
  const accounts = { baseVault: token.vault.key, quoteVault: sol.vault.key, payer: trader }
  call.call({ tag: tagOf(call), at: DBC_SWAP_AT }, accounts, 15, () => {
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

export function writeMeteoraDlmm(call: SwapCall): void {
  const { swap, form, writer, trader, program } = call
  const isXToken = isTokenFirst(swap.pairAddress)
  const hostFee = referralOf(call)
  call.leaves(call.input.mint, hostFee)
  const [x, y] = isXToken ? [call.token, call.sol] : [call.sol, call.token]
  const accounts = { vaultX: x.vault.key, vaultY: y.vault.key, trader }
  call.call({ tag: tagOf(call), at: DLMM_SWAP_AT }, accounts, 15, () => {
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

/** The protocol's part of an input, which bypasses the vault. */
const PROTOCOL_DIVISOR = 5_000n

export function writeMeteoraPools(call: SwapCall): void {
  const { swap, writer, trader, input, output, sol, token } = call
  const isAToken = isTokenFirst(swap.pairAddress)
  const [a, b] = isAToken ? [token, sol] : [sol, token]
  const protocolFee = input.leg / PROTOCOL_DIVISOR
  const accounts = {
    pool: swap.pairAddress,
    tradersSource: input.wallet.key,
    vaultA: a.vault.key,
    vaultB: b.vault.key,
    trader,
  }
  const payload = writeFields(DYNAMIC_AMM_SWAP, {
    in_amount: input.leg,
    out_amount: output.leg,
    trade_fee: BigInt(swap.fee),
    protocol_fee: protocolFee,
  })
  call.call(DYNAMIC_AMM_SWAPS.swap, accounts, 15, () => {
    call.giveAway(input.wallet, PROTOCOL, protocolFee)
    const inVault = (body: () => void) =>
      writer.call(VAULT_PROGRAM, [input.vault.key, output.vault.key], Buffer.alloc(16, 1), body)
    inVault(() => call.pay(input.leg - protocolFee))
    inVault(() => call.send())
    writer.logEvent(payload)
  })
}
