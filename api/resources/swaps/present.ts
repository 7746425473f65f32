/**
 * A stored swap as the interface shows it: the same for REST and GraphQL. Pure.
 */
import { type Int64, pricePerToken } from '../../../domain/amount.ts'
import type { ServedSwap } from '../../../history/swaps/served-swap.ts'
import type { CursorList } from '../../routing/reading/cursor.ts'
import type { SwapPage } from './read.ts'
import type { SwapAnswer } from './schema.ts'
import { swapCursor } from './swap-key.ts'

/** Decimals of SOL, on every venue. */
const BASE_DECIMALS = 9
const IMPACT_MIN_BPS = -32_768
const IMPACT_MAX_BPS = 32_767

/** Sent with every answer to a signature; the wording is no part of the contract. */
const PRICE_SEMANTICS =
  'price_per_token is the executed price in lamports per token base unit, from the legs of the ' +
  'trade only: use it for any tradeable price. pool_price is the reported SOL reserve over the ' +
  'reported token reserve in SOL per whole token: a reserve statistic, not a quote. ' +
  'price_impact_bps is measured against the pool; positive is against the trader.'

export function presentSwap(row: ServedSwap): SwapAnswer {
  return {
    ...row,
    price_per_token: pricePerToken(row.sol_amount, row.token_amount),
    price_impact_bps: row.price_impact_bps === null ? null : clampedImpact(row.price_impact_bps),
    base_decimals: BASE_DECIMALS,
  }
}

/** Stored in full; REST and GraphQL show what fits 16 bits. */
function clampedImpact(bps: Int64): number {
  if (bps < IMPACT_MIN_BPS) return IMPACT_MIN_BPS
  return bps > IMPACT_MAX_BPS ? IMPACT_MAX_BPS : Number(bps)
}

export function presentTransaction(signature: string, rows: readonly ServedSwap[]) {
  const swaps = rows.map(presentSwap)
  return { signature, total: swaps.length, swaps, price_semantics: PRICE_SEMANTICS }
}

export function presentPage(list: CursorList, { rows, reached }: SwapPage) {
  return {
    success: true as const,
    data: rows.map(presentSwap),
    next_cursor: reached === undefined ? null : swapCursor(list, reached),
  }
}
