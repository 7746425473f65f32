/**
 * Writes swaps and pool events of venue 10. Pure.
 */

import { addressOf } from '../../encoder/keys.ts'
import { writeFields } from '../../encoder/payload.ts'
import { changedWithEvent, createdWithEvent } from '../../encoder/pool-writers.ts'
import { isTokenFirst, type SwapCall } from '../../encoder/swap-call.ts'
import type { VenueEncoder } from '../../encoder/venue-encoder.ts'
import {
  DYNAMIC_AMM_ADD_LIQUIDITY,
  DYNAMIC_AMM_LIQUIDITY,
  DYNAMIC_AMM_POOL_CREATED,
  DYNAMIC_AMM_POOLS,
  DYNAMIC_AMM_REMOVE_LIQUIDITY,
  DYNAMIC_AMM_SWAP,
  DYNAMIC_AMM_SWAPS,
} from './layout.ts'

const PROTOCOL = addressOf('protocol')

const VAULT_PROGRAM = addressOf('vault program')

/** The protocol's part of an input, which bypasses the vault. */
const PROTOCOL_DIVISOR = 5_000n

function writeSwap(call: SwapCall): void {
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

const create = createdWithEvent(
  ({ mints: [first, second], event }) => {
    const mints = { token_a_mint: first, token_b_mint: second }
    return writeFields(DYNAMIC_AMM_POOL_CREATED, { ...mints, pool: event.pairAddress })
  },
  true,
  false,
  DYNAMIC_AMM_POOLS.withConfig,
)

const changeLiquidity = changedWithEvent(
  (_, isAdded) =>
    isAdded
      ? writeFields(DYNAMIC_AMM_ADD_LIQUIDITY, {})
      : writeFields(DYNAMIC_AMM_REMOVE_LIQUIDITY, {}),
  { isLogged: true, layoutOf: (isAdded) => DYNAMIC_AMM_LIQUIDITY[isAdded ? 'added' : 'removed'] },
)

export const encoder: VenueEncoder = {
  writeSwap,
  vaults: 'unstated',
  create,
  changeLiquidity,
  refusesFees: true,
}
