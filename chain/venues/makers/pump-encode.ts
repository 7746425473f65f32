/**
 * Swaps of venues 1 and 2. Pure.
 */

import { addressOf } from '../../encoder/keys.ts'
import { u64, writeFields } from '../../encoder/payload.ts'
import {
  authorityOf,
  isTokenFirst,
  type SwapCall,
  vaultOf,
  virtualQuoteOf,
} from '../../encoder/swap-call.ts'
import { PUMP_TRADE, PUMPSWAP_BUY, PUMPSWAP_SELL } from '../../layouts/generated-pump.ts'
import { PUMP_SWAPS, PUMPSWAP_SWAPS } from '../../layouts/instructions.ts'
import { SYSTEM_PROGRAM } from '../pumpfun/swaps.ts'

const FEE_RECIPIENT = addressOf('fee recipient')
/** From this age on events are in the logs, too. */
const LOGGED_FROM_AGE = 3
const BPS = 10_000n
/** Tokens that a curve holds beside those that it sells. */
const RESERVED_TOKENS = 206_900_000_000_000n
const SYSTEM_TRANSFER = Uint8Array.of(2, 0, 0, 0)

/** The last field by age. */
const TRADE_ENDS = [
  'real_token_reserves',
  'creator_fee',
  'last_update_timestamp',
  'cashback',
  undefined,
] as const

export function writePumpfun(call: SwapCall): void {
  const { swap, form, writer, trader, program, token } = call
  const { buy, sell, buyV2, sellV2 } = PUMP_SWAPS
  const isNewest = form.age > LOGGED_FROM_AGE
  const layout = swap.isBuy ? (isNewest ? buyV2 : buy) : isNewest ? sellV2 : sell
  const vault = vaultOf(swap.pairAddress, token.mint, {
    decimals: token.vault.decimals,
    program: token.vault.program,
    before: RESERVED_TOKENS + token.reserve + (swap.isBuy ? token.leg : -token.leg),
  })
  const curve = swap.pairAddress
  const paid = layout === buy ? { feeRecipient: FEE_RECIPIENT } : {}
  call.call(layout, { curve, ...paid }, isNewest ? 16 : 12, () => {
    const [from, to] = swap.isBuy ? [vault, token.wallet] : [token.wallet, vault]
    writer.transfer({ from, to, authority: from.owner, baseUnits: token.leg })
    moveSol(call, curve)
    const payload = tradePayload(call)
    writer.emit(program, payload)
    if (form.age >= LOGGED_FROM_AGE) writer.logEvent(payload)
  })
  if (trader !== swap.user) writer.touch(token.wallet)
}

/** A curve holds SOL as lamports; the fees bypass it. */
function moveSol({ swap, writer, trader }: SwapCall, curve: string): void {
  const lamports = BigInt(swap.solAmount)
  const fees = BigInt(swap.fee) + BigInt(swap.creatorFee)
  if (swap.isBuy) {
    const paid = (to: string, paidLamports: bigint) =>
      writer.call(SYSTEM_PROGRAM, [trader, to], Buffer.concat([SYSTEM_TRANSFER, u64(paidLamports)]))
    paid(curve, lamports)
    paid(FEE_RECIPIENT, BigInt(swap.fee))
    if (BigInt(swap.creatorFee) > 0n)
      paid(addressOf(`creator ${swap.tokenAddress}`), BigInt(swap.creatorFee))
  }
  writer.moveLamports(curve, swap.isBuy ? lamports : -lamports)
  writer.moveLamports(trader, (swap.isBuy ? -lamports : lamports) - fees)
  writer.moveLamports(FEE_RECIPIENT, fees)
}

function tradePayload({ swap, form, trader, seconds }: SwapCall): Buffer {
  const last = TRADE_ENDS[form.age]
  const values = {
    mint: swap.tokenAddress,
    sol_amount: BigInt(swap.solAmount),
    token_amount: BigInt(swap.tokenAmount),
    is_buy: swap.isBuy,
    user: trader,
    timestamp: seconds,
    virtual_sol_reserves: BigInt(swap.virtualSolReserves),
    virtual_token_reserves: BigInt(swap.virtualTokenReserves),
    real_sol_reserves: BigInt(swap.realSolReserves),
    real_token_reserves: BigInt(swap.realTokenReserves),
    fee_recipient: FEE_RECIPIENT,
    fee_basis_points: swap.feeBps,
    fee: BigInt(swap.fee),
    creator: addressOf(`creator ${swap.tokenAddress}`),
    creator_fee_basis_points: swap.creatorFeeBps,
    creator_fee: BigInt(swap.creatorFee),
    ix_name: swap.isBuy ? 'buy' : 'sell',
    cashback_fee_basis_points: swap.cashbackBps,
    cashback: BigInt(swap.cashback),
    shareholders: new Uint8Array(2 * 34),
  }
  return writeFields(PUMP_TRADE, values, last)
}

const BUY_ENDS = [
  'protocol_fee_recipient_token_account',
  'coin_creator_fee',
  'last_update_timestamp',
  'cashback',
  undefined,
] as const
const SELL_ENDS = [
  'protocol_fee_recipient_token_account',
  'coin_creator_fee',
  'coin_creator_fee',
  'cashback',
  undefined,
] as const
const BASE_TOKEN_PERCENT = 80
const PROTOCOL_FEE_BPS = 5n

export function writePumpswap(call: SwapCall): void {
  const { swap, form, writer, program, sol, token } = call
  const isBaseToken = isTokenFirst(swap.pairAddress, BASE_TOKEN_PERCENT)
  const [base, quote] = isBaseToken ? [token, sol] : [sol, token]
  const isBaseIn = call.isFirstIn(isBaseToken)
  const layout = isBaseIn ? PUMPSWAP_SWAPS.sell : PUMPSWAP_SWAPS.buy
  // The fee of a token that withholds one on every transfer would be a third amount.
  const protocolFee = quote.fee > 0n ? 0n : (quote.leg * PROTOCOL_FEE_BPS) / BPS
  const accounts = { baseVault: base.vault.key, quoteVault: quote.vault.key }
  call.call(layout, accounts, 19, () => {
    if (isBaseIn) {
      call.pay()
      call.send(quote.leg - protocolFee)
      call.giveAway(quote.vault, FEE_RECIPIENT, protocolFee)
    } else {
      call.send()
      call.pay()
      call.giveAway(quote.wallet, FEE_RECIPIENT, protocolFee)
    }
    const payload = pumpswapPayload(call, isBaseIn, isBaseToken, protocolFee)
    writer.emit(program, payload)
    if (form.age >= LOGGED_FROM_AGE) writer.logEvent(payload)
  })
}

function pumpswapPayload(
  { swap, form, trader, seconds, sol, token }: SwapCall,
  isBaseIn: boolean,
  isBaseToken: boolean,
  protocolFee: bigint,
): Buffer {
  const [base, quote] = isBaseToken ? [token, sol] : [sol, token]
  // The simulated fee is one of SOL.
  const lpFee = isBaseToken ? BigInt(swap.fee) : (quote.leg * BigInt(swap.feeBps)) / BPS
  const common = {
    timestamp: seconds,
    pool_base_token_reserves: base.reserve + (isBaseIn ? -base.leg : base.leg),
    pool_quote_token_reserves: quote.reserve + (isBaseIn ? quote.leg : -quote.leg),
    lp_fee_basis_points: swap.feeBps,
    lp_fee: lpFee,
    protocol_fee_basis_points: PROTOCOL_FEE_BPS,
    protocol_fee: protocolFee,
    pool: swap.pairAddress,
    user: trader,
    user_base_token_account: base.wallet.key,
    user_quote_token_account: quote.wallet.key,
    protocol_fee_recipient: FEE_RECIPIENT,
    coin_creator: authorityOf(swap.tokenAddress),
    cashback_fee_basis_points: swap.cashbackBps,
    cashback: BigInt(swap.cashback),
    virtual_quote_reserves: BigInt(swap.virtualQuoteReserves ?? virtualQuoteOf(swap.pairAddress)),
  }
  if (isBaseIn) {
    const values = {
      ...common,
      base_amount_in: base.leg,
      quote_amount_out: quote.leg + lpFee,
      quote_amount_out_without_lp_fee: quote.leg,
      user_quote_amount_out: quote.leg - protocolFee,
    }
    return writeFields(PUMPSWAP_SELL, values, SELL_ENDS[form.age])
  }
  const values = {
    ...common,
    base_amount_out: base.leg,
    quote_amount_in: quote.leg > lpFee ? quote.leg - lpFee : 0n,
    quote_amount_in_with_lp_fee: quote.leg,
    user_quote_amount_in: quote.leg + protocolFee,
    ix_name: 'buy',
  }
  return writeFields(PUMPSWAP_BUY, values, BUY_ENDS[form.age])
}
