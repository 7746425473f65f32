/**
 * Writes swaps and pool events of venue 6. Pure.
 */

import { writeFields } from '../../encoder/payload.ts'
import { changedByInstruction, createdByInstruction } from '../../encoder/pool-writers.ts'
import { isTokenFirst, type SwapCall } from '../../encoder/swap-call.ts'
import type { VenueEncoder } from '../../encoder/venue-encoder.ts'
import { ORCA_LIQUIDITY, ORCA_POOLS, ORCA_SWAPS, WHIRLPOOL_TRADED } from './layout.ts'

/** The oldest programs log no event. */
const TRADED_FROM_AGE = 1

function writeSwap(call: SwapCall): void {
  const { swap, form, writer, trader, sol, token, input, output } = call
  const isAToken = isTokenFirst(swap.pairAddress)
  const [a, b] = isAToken ? [token, sol] : [sol, token]
  const isV2 = input.fee + output.fee > 0n || form.age > 2
  const layout = isV2 ? ORCA_SWAPS.swapV2 : ORCA_SWAPS.swap
  const accounts = { pool: swap.pairAddress, vaultA: a.vault.key, vaultB: b.vault.key, trader }
  const payload = writeFields(WHIRLPOOL_TRADED, {
    whirlpool: swap.pairAddress,
    a_to_b: call.isFirstIn(isAToken),
    pre_sqrt_price: call.sqrtPriceX64(swap.priceBefore, isAToken),
    post_sqrt_price: call.sqrtPriceX64(swap.priceAfter, isAToken),
    input_amount: input.leg + input.fee,
    output_amount: output.leg,
    input_transfer_fee: input.fee,
    output_transfer_fee: output.fee,
    lp_fee: call.feeOfInput,
  })
  call.call(layout, accounts, isV2 ? 15 : 11, () => {
    call.pay()
    call.send()
    if (form.age >= TRADED_FROM_AGE) writer.logEvent(payload)
  })
}

const create = createdByInstruction(
  ({ age }) => ORCA_POOLS[age > 3 ? 'createdAdaptive' : age > 1 ? 'createdV2' : 'created'],
)

const changeLiquidity = changedByInstruction((isAdded, { age }) => {
  const { added, addedV2, addedByAmounts, removed, removedV2 } = ORCA_LIQUIDITY
  if (isAdded) return age > 3 ? addedByAmounts : age > 1 ? addedV2 : added
  return age > 1 ? removedV2 : removed
})

export const encoder: VenueEncoder = {
  writeSwap,
  vaults: 'reserves',
  create,
  changeLiquidity,
}
