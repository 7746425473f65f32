/**
 * Writes swaps and pool events of venue 4. Pure.
 */

import { WSOL_MINT } from '../../decoder/venue-swap.ts'
import { writeFields } from '../../encoder/payload.ts'
import { changedWithEvent, createdWithEvent } from '../../encoder/pool-writers.ts'
import { isTokenFirst, type SwapCall } from '../../encoder/swap-call.ts'
import type { VenueEncoder } from '../../encoder/venue-encoder.ts'
import {
  CLMM_LIQUIDITY,
  CLMM_POOL_CREATED,
  CLMM_SWAP,
  RAYDIUM_CLMM_POOLS,
  RAYDIUM_CLMM_SWAPS,
} from './layout.ts'

/** From this age on the amounts of the event are without transfer fees. */
const CLMM_NET_FROM_AGE = 2

/** From this age on the event states the fees. */
const CLMM_FEES_FROM_AGE = 4

function writeSwap(call: SwapCall): void {
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

const SOME_LIQUIDITY = 1n << 80n

const create = createdWithEvent(
  ({ mints: [first, second], event }) => {
    const mints = { token_mint_0: first, token_mint_1: second }
    return writeFields(CLMM_POOL_CREATED, { ...mints, pool_state: event.pairAddress })
  },
  true,
  false,
  RAYDIUM_CLMM_POOLS.created,
)

const changeLiquidity = changedWithEvent(
  ({ event }, isAdded) =>
    writeFields(CLMM_LIQUIDITY, {
      pool_state: event.pairAddress,
      liquidity_before: SOME_LIQUIDITY,
      liquidity_after: isAdded ? SOME_LIQUIDITY + 1n : SOME_LIQUIDITY - 1n,
    }),
  { isLogged: true },
)

export const encoder: VenueEncoder = {
  writeSwap,
  vaults: 'reserves',
  create,
  changeLiquidity,
  needsLogsOfLiquidity: true,
}
