/**
 * The quick yes of the ingest contract: whether a decoded swap keeps every rule of SWAP_FIELDS
 * (contract.ts), said field by field so that the engine sees one shape and no table. Pure.
 *
 * Law: what is plain breaks no rule. A swap that is not plain goes to the table, which decides and
 * names the field; test/streams/ingest/reading/fast-check.test.ts holds the two against each other.
 */
import { INT64_MAX, type Int64 } from '../../../domain/amount.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import { isAddress, isSignature } from '../../../domain/numbers/base58.ts'
import { INT32_MAX, TIMESTAMP_MAX_MS, TIMESTAMP_MIN_MS } from '../rule.ts'

export function isPlainSwap(swap: Swap): boolean {
  return (
    isWithin(swap.slot, 0, Number.MAX_SAFE_INTEGER) &&
    isWithin(swap.timestamp, TIMESTAMP_MIN_MS, TIMESTAMP_MAX_MS) &&
    isWithin(swap.blockTxIndex, 0, Number.MAX_SAFE_INTEGER) &&
    isWithin(swap.dex, 1, 10) &&
    isWithin(swap.quoteDecimals, 0, 18) &&
    isWithin(swap.feeBps, 0, INT32_MAX) &&
    isWithin(swap.creatorFeeBps, 0, INT32_MAX) &&
    isWithin(swap.cashbackBps, 0, INT32_MAX) &&
    isWithin(swap.ixIndex, 0, INT32_MAX) &&
    isWithin(swap.timeSource, 0, INT32_MAX) &&
    isWithin(swap.agentTrade, 0, INT32_MAX) &&
    typeof swap.isBuy === 'boolean' &&
    hasPlainAmounts(swap) &&
    isPrice(swap.poolPrice) &&
    isPrice(swap.priceBefore) &&
    isPrice(swap.priceAfter) &&
    hasPlainTexts(swap)
  )
}

function hasPlainTexts({ signature, tokenAddress, pairAddress, user }: Swap): boolean {
  return (
    typeof signature === 'string' &&
    typeof tokenAddress === 'string' &&
    typeof pairAddress === 'string' &&
    typeof user === 'string' &&
    isSignature(signature) &&
    isAddress(tokenAddress) &&
    isAddress(pairAddress) &&
    isAddress(user)
  )
}

function hasPlainAmounts(swap: Swap): boolean {
  return (
    swap.tokenAmount !== 0 &&
    isCount(swap.solAmount) &&
    isCount(swap.tokenAmount) &&
    isCount(swap.fee) &&
    isCount(swap.creatorFee) &&
    isCount(swap.virtualSolReserves) &&
    isCount(swap.virtualTokenReserves) &&
    isCount(swap.realSolReserves) &&
    isCount(swap.realTokenReserves) &&
    isCount(swap.transferFeeIn) &&
    isCount(swap.transferFeeOut) &&
    isCount(swap.cashback)
  )
}

function isWithin(value: number, least: number, greatest: number): boolean {
  return (
    typeof value === 'number' && value >= least && value <= greatest && Math.floor(value) === value
  )
}

function isCount(value: Int64): boolean {
  if (typeof value === 'number') return isWithin(value, 0, Number.MAX_SAFE_INTEGER)
  return typeof value === 'bigint' && value > Number.MAX_SAFE_INTEGER && value <= INT64_MAX
}

function isPrice(price: number | undefined): boolean {
  if (price === undefined) return true
  return typeof price === 'number' && price >= 0 && price < Number.POSITIVE_INFINITY
}
