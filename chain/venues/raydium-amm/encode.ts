/**
 * Writes swaps and pool events of venue 3. Pure.
 */

import { changedByInstruction, createdByInstruction } from '../../encoder/pool-writers.ts'
import { authorityOf, isExactOut, isTokenFirst, type SwapCall } from '../../encoder/swap-call.ts'
import type { VenueEncoder } from '../../encoder/venue-encoder.ts'
import { RAYDIUM_AMM_POOLS, RAYDIUM_AMM_SWAPS } from './layout.ts'
import { PC_TO_COIN, RAY_LOG_AT, RAY_LOG_BYTES, RAY_LOG_IN, RAY_LOG_OUT } from './swaps.ts'

/** Ages of the two instructions without a market, and of the one that lacks an account of orders. */
const WITHOUT_MARKET_FROM_AGE = 3

const WITHOUT_TARGET_ORDERS_AGE = 1

function writeSwap(call: SwapCall): void {
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

const create = createdByInstruction(() => RAYDIUM_AMM_POOLS.created, true)

const changeLiquidity = changedByInstruction(
  (isAdded) => RAYDIUM_AMM_POOLS[isAdded ? 'added' : 'removed'],
)

export const encoder: VenueEncoder = {
  writeSwap,
  vaults: 'reserves_and_owed',
  create,
  changeLiquidity,
}
