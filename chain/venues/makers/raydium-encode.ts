/**
 * Swaps of venues 3, 4 and 5. Pure.
 */

import { WSOL_MINT } from '../../decoder/venue-swap.ts'
import { isDrawn } from '../../encoder/keys.ts'
import { writeFields } from '../../encoder/payload.ts'
import { authorityOf, isTokenFirst, type SwapCall } from '../../encoder/swap-call.ts'
import {
  RAYDIUM_AMM_SWAPS,
  RAYDIUM_CLMM_SWAPS,
  RAYDIUM_CPMM_SWAPS,
} from '../../layouts/instructions.ts'
import { CLMM_SWAP, CPMM_SWAP } from '../../layouts/published.ts'
import {
  PC_TO_COIN,
  RAY_LOG_AT,
  RAY_LOG_BYTES,
  RAY_LOG_IN,
  RAY_LOG_OUT,
} from '../raydium-amm/swaps.ts'

const isExactOut = ({ swap }: SwapCall): boolean => isDrawn(`exact ${swap.signature}`, 30)

/** Ages of the two instructions without a market, and of the one that lacks an account of orders. */
const WITHOUT_MARKET_FROM_AGE = 3
const WITHOUT_TARGET_ORDERS_AGE = 1

export function writeRaydiumAmm(call: SwapCall): void {
  const { swap, form, writer, trader, sol, token } = call
  const isCoinToken = isTokenFirst(swap.pairAddress)
  const [coin, pc] = isCoinToken ? [token, sol] : [sol, token]
  const { baseIn, baseOut, baseInV2, baseOutV2 } = RAYDIUM_AMM_SWAPS
  const hasMarket = form.age < WITHOUT_MARKET_FROM_AGE
  const isOut = isExactOut(call)
  const { tag, at } = hasMarket ? (isOut ? baseOut : baseIn) : isOut ? baseOutV2 : baseInV2
  const isShort = hasMarket && form.age === WITHOUT_TARGET_ORDERS_AGE
  const shift = isShort ? 1 : 0
  const positions = {
    ...{ pool: at.pool, authority: at.authority, trader: at.trader - shift },
    ...{ coinVault: at.coinVault - shift, pcVault: at.coinVault - shift + 1 },
  }
  const accounts = {
    ...{ pool: swap.pairAddress, authority: authorityOf(swap.pairAddress), trader },
    ...{ coinVault: coin.vault.key, pcVault: pc.vault.key },
  }
  call.call({ tag, at: positions }, accounts, at.trader - shift + 1, () => {
    const log = rayLog(call, isOut, isCoinToken).toString('base64')
    writer.logText(`ray_log: ${log}`)
    call.pay()
    call.send()
  })
}

function rayLog(call: SwapCall, isOut: boolean, isCoinToken: boolean): Buffer {
  const { input, output, sol, token } = call
  const [coin, pc] = isCoinToken ? [token, sol] : [sol, token]
  const before = (side: typeof coin): bigint =>
    side.mint === input.mint ? side.reserve - side.leg : side.reserve + side.leg
  const log = Buffer.alloc(RAY_LOG_BYTES)
  log[0] = isOut ? RAY_LOG_OUT : RAY_LOG_IN
  const isPcIn = !call.isFirstIn(isCoinToken)
  // Exact in: amount and least output. Exact out: most input and amount.
  log.writeBigUInt64LE(isOut ? input.leg + 1n : input.leg, RAY_LOG_AT.first)
  log.writeBigUInt64LE(output.leg, RAY_LOG_AT.second)
  log.writeBigUInt64LE(isPcIn ? PC_TO_COIN : PC_TO_COIN + 1n, RAY_LOG_AT.direction)
  log.writeBigUInt64LE(before(coin), RAY_LOG_AT.coin)
  log.writeBigUInt64LE(before(pc), RAY_LOG_AT.pc)
  log.writeBigUInt64LE(isOut ? input.leg : output.leg, RAY_LOG_AT.result)
  return log
}

/** From this age on the amounts of the event are without transfer fees. */
const CLMM_NET_FROM_AGE = 2
/** From this age on the event states the fees. */
const CLMM_FEES_FROM_AGE = 4

export function writeRaydiumClmm(call: SwapCall): void {
  const { swap, form, writer, trader, input, output } = call
  const isZeroToken = isTokenFirst(swap.pairAddress)
  const isZeroIn = call.isFirstIn(isZeroToken)
  const { swap: older, swapV2 } = RAYDIUM_CLMM_SWAPS
  const layout = input.fee + output.fee > 0n || form.age > 1 ? swapV2 : older
  const accounts = {
    payer: trader,
    pool: swap.pairAddress,
    inputVault: input.vault.key,
    outputVault: output.vault.key,
  }
  const [zero, one] = isZeroIn ? [input, output] : [output, input]
  const isNet = form.age >= CLMM_NET_FROM_AGE
  // The older amounts cross the wallet's accounts: the input with its transfer fee.
  const crossing = (side: typeof zero) => (side === input ? side.leg + side.fee : side.leg)
  const net = (side: typeof zero) => (side === input ? side.leg : side.leg - side.fee)
  const stated = isNet ? net : crossing
  // The simulated fee is one of SOL.
  const feeIn = ({ mint }: typeof zero) => (mint === WSOL_MINT ? BigInt(swap.fee) : 0n)
  const values = {
    pool_state: swap.pairAddress,
    sender: trader,
    token_account_0: zero.wallet.key,
    token_account_1: one.wallet.key,
    amount_0: stated(zero),
    transfer_fee_0: zero.fee,
    amount_1: stated(one),
    transfer_fee_1: one.fee,
    zero_for_one: isZeroIn,
    sqrt_price_x64: call.sqrtPriceX64(swap.priceAfter, isZeroToken),
    liquidity: 1n << 90n,
    tick: -77,
    trade_fee_0: feeIn(zero),
    trade_fee_1: feeIn(one),
  }
  const last = form.age < CLMM_FEES_FROM_AGE ? 'tick' : undefined
  const payload = writeFields(CLMM_SWAP, values, last)
  call.call(layout, accounts, 13, () => {
    call.pay()
    call.send()
    writer.logEvent(payload)
  })
}

/** Version 2 of the event comes from this age on. */
const CPMM_V2_FROM_AGE = 3

export function writeRaydiumCpmm(call: SwapCall): void {
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
