/**
 * Writes swaps and pool events of venue 2. Pure.
 */

import { ceilDivide } from '../../../domain/numbers/ceil-divide.ts'
import { VENUES } from '../../../domain/venue.ts'
import { addressOf } from '../../encoder/keys.ts'
import { bytesOfHex, writeFields } from '../../encoder/payload.ts'
import type { PoolCall } from '../../encoder/pool-call.ts'
import { createdWithEvent } from '../../encoder/pool-writers.ts'
import {
  authorityOf,
  isTokenFirst,
  type SwapCall,
  virtualQuoteOf,
} from '../../encoder/swap-call.ts'
import type { LiquidityWriter, VenueEncoder } from '../../encoder/venue-encoder.ts'
import { PUMP_MIGRATION } from '../pumpfun/generated.ts'
import {
  PUMPSWAP_BUY,
  PUMPSWAP_CREATE_POOL,
  PUMPSWAP_DEPOSIT,
  PUMPSWAP_SELL,
  PUMPSWAP_WITHDRAW,
} from './generated.ts'
import { PUMPSWAP_LIQUIDITY, PUMPSWAP_SWAPS } from './layout.ts'

/** Program of the venue whose curves migrate here. */
const CURVE_PROGRAM = VENUES.find(({ kind }) => kind === 'bonding_curve')?.program ?? ''

const FEE_RECIPIENT = addressOf('fee recipient')

/** From this age on events are in the logs, too. */
const LOGGED_FROM_AGE = 3
/** From this age on creators get a fee. */
const CREATOR_FROM_AGE = 1

const BPS = 10_000n

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
const CREATOR_FEE_BPS = 5n

function writeSwap(call: SwapCall): void {
  const { swap, form, writer, program, sol, token } = call
  const isBaseToken = isTokenFirst(swap.pairAddress, BASE_TOKEN_PERCENT)
  const [base, quote] = isBaseToken ? [token, sol] : [sol, token]
  const isBaseIn = call.isFirstIn(isBaseToken)
  const layout = isBaseIn ? PUMPSWAP_SWAPS.sell : PUMPSWAP_SWAPS.buy
  const fees = feesOf(call, isBaseIn, isBaseToken)
  const creator = authorityOf(swap.tokenAddress)
  const accounts = { baseVault: base.vault.key, quoteVault: quote.vault.key }
  call.call(layout, accounts, 19, () => {
    if (isBaseIn) {
      call.pay()
      call.send(quote.leg - fees.protocol - fees.creator)
      call.giveAway(quote.vault, FEE_RECIPIENT, fees.protocol)
      call.giveAway(quote.vault, creator, fees.creator)
    } else {
      call.send()
      call.pay()
      call.giveAway(quote.wallet, FEE_RECIPIENT, fees.protocol)
      call.giveAway(quote.wallet, creator, fees.creator)
    }
    const payload = pumpswapPayload(call, isBaseIn, isBaseToken, fees)
    writer.emit(program, payload)
    if (form.age >= LOGGED_FROM_AGE) writer.logEvent(payload)
  })
}

/** Fees in units of the quote. */
type Fees = { readonly lp: bigint; readonly protocol: bigint; readonly creator: bigint }

function feesOf(
  { swap, form, sol, token }: SwapCall,
  isBaseIn: boolean,
  isBaseToken: boolean,
): Fees {
  const quote = isBaseToken ? sol : token
  // The simulated fee is one of SOL.
  const lp = isBaseToken ? BigInt(swap.fee) : (quote.leg * BigInt(swap.feeBps)) / BPS
  const charged = isBaseIn ? quote.leg + lp : quote.leg - lp
  const charge = (bps: bigint): bigint => ceilDivide(charged * bps, BPS)
  const protocol = charge(PROTOCOL_FEE_BPS)
  const creator = form.age >= CREATOR_FROM_AGE ? charge(CREATOR_FEE_BPS) : 0n
  // The fees of a token that withholds one on every transfer would be further amounts.
  const isCharged = quote.fee === 0n && charged > 0n && quote.leg >= protocol + creator
  return isCharged ? { lp, protocol, creator } : { lp, protocol: 0n, creator: 0n }
}

function pumpswapPayload(
  { swap, form, trader, seconds, sol, token }: SwapCall,
  isBaseIn: boolean,
  isBaseToken: boolean,
  { lp: lpFee, protocol: protocolFee, creator: creatorFee }: Fees,
): Buffer {
  const [base, quote] = isBaseToken ? [token, sol] : [sol, token]
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
    coin_creator_fee_basis_points: CREATOR_FEE_BPS,
    coin_creator_fee: creatorFee,
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
      user_quote_amount_out: quote.leg - protocolFee - creatorFee,
    }
    return writeFields(PUMPSWAP_SELL, values, SELL_ENDS[form.age])
  }
  const values = {
    ...common,
    base_amount_out: base.leg,
    quote_amount_in: quote.leg > lpFee ? quote.leg - lpFee : 0n,
    quote_amount_in_with_lp_fee: quote.leg,
    user_quote_amount_in: quote.leg + protocolFee + creatorFee,
    ix_name: 'buy',
  }
  return writeFields(PUMPSWAP_BUY, values, BUY_ENDS[form.age])
}

const create = createdWithEvent((call) => {
  const [base, quote] = call.mints
  return writeFields(PUMPSWAP_CREATE_POOL, {
    timestamp: Math.floor(call.event.timestamp / 1_000),
    creator: call.owner,
    base_mint: base,
    quote_mint: quote,
    base_amount_in: call.amountOf(base),
    quote_amount_in: call.amountOf(quote),
    pool: call.event.pairAddress,
  })
})

const changeLiquidity: LiquidityWriter = (call, isAdded) => {
  const { event, writer, program, owner } = call
  const [base, quote] = call.mints
  const common = {
    timestamp: Math.floor(event.timestamp / 1_000),
    pool: event.pairAddress,
    user: owner,
  }
  const [baseUnits, quoteUnits] = [call.amountOf(base), call.amountOf(quote)]
  const accounts = { baseMint: base, quoteMint: quote }
  call.call(PUMPSWAP_LIQUIDITY[isAdded ? 'deposit' : 'withdraw'], accounts, () => {
    call.move(isAdded)
    const payload = isAdded
      ? writeFields(PUMPSWAP_DEPOSIT, {
          ...common,
          base_amount_in: baseUnits,
          quote_amount_in: quoteUnits,
        })
      : writeFields(PUMPSWAP_WITHDRAW, {
          ...common,
          base_amount_out: baseUnits,
          quote_amount_out: quoteUnits,
        })
    writer.emit(program, payload)
  })
}

/** Migrations are written by the program of the curve. */
function migrate({ event, writer, owner }: PoolCall): void {
  const payload = writeFields(PUMP_MIGRATION, {
    user: owner,
    mint: event.tokenAddress,
    mint_amount: BigInt(event.tokenAmount ?? 0),
    sol_amount: BigInt(event.solAmount ?? 0),
    bonding_curve: event.fromPair ?? '',
    timestamp: Math.floor(event.timestamp / 1_000),
    pool: event.pairAddress,
  })
  const accounts = [owner, event.tokenAddress, event.fromPair ?? '', event.pairAddress]
  writer.call(CURVE_PROGRAM, accounts, bytesOfHex('9beae792ec9ea21e'), () =>
    writer.emit(CURVE_PROGRAM, payload),
  )
}

export const encoder: VenueEncoder = {
  writeSwap,
  vaults: 'reserves',
  create,
  changeLiquidity,
  migrate,
  tokenFirstPercent: BASE_TOKEN_PERCENT,
}
