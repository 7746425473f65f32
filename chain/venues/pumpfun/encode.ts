/**
 * Writes swaps and pool events of venue 1. Pure.
 */

import { addressOf } from '../../encoder/keys.ts'
import { u64, writeFields } from '../../encoder/payload.ts'
import { createdWithEvent } from '../../encoder/pool-writers.ts'
import { type SwapCall, vaultOf } from '../../encoder/swap-call.ts'
import type { VenueEncoder } from '../../encoder/venue-encoder.ts'
import { PUMP_CREATE, PUMP_TRADE } from './generated.ts'
import { PUMP_SWAPS } from './layout.ts'
import { SYSTEM_PROGRAM } from './swaps.ts'

const FEE_RECIPIENT = addressOf('fee recipient')

/** From this age on events are in the logs, too. */
const LOGGED_FROM_AGE = 3

/** Tokens that a curve holds in addition to those that it sells. */
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

function writeSwap(call: SwapCall): void {
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

const REAL_TOKENS_OF_CURVE = 793_100_000_000_000n

const create = createdWithEvent(({ event, token, owner, form }) =>
  writeFields(
    PUMP_CREATE,
    {
      name: token?.name ?? '',
      symbol: token?.symbol ?? '',
      mint: event.tokenAddress,
      bonding_curve: event.pairAddress,
      user: owner,
      creator: owner,
      timestamp: Math.floor(event.timestamp / 1_000),
      real_token_reserves: REAL_TOKENS_OF_CURVE,
      token_total_supply: BigInt(token?.supply ?? 0),
    },
    // The oldest event names no creator but the user, and no reserves.
    form.age === 0 ? 'user' : form.age < 3 ? 'token_total_supply' : undefined,
  ),
)

export const encoder: VenueEncoder = {
  writeSwap,
  vaults: 'reserves',
  create,
}
