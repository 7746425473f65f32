/**
 * Positions in a token as of a slot. Rows without a swap after the slot are those of the slot; for the others, all swaps of the
 * token up to it are read, and those of their wallets folded by the ledger's own arithmetic.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { type SwapRow, swapOfRow } from '../../../domain/events/stored-row.ts'
import { compareSwaps } from '../../../domain/events/swap.ts'
import { applyToPosition, emptyPosition } from '../../../domain/ledger/position.ts'
import { listFollowingSwaps } from '../../../history/swaps/pools.ts'
import { listPastDecimals } from '../../../history/swaps/tokens.ts'
import { query } from '../../../sql/query.ts'
import { ApiError } from '../../routing/error.ts'
import { type AsOfReading, expectFoldable } from '../../routing/reading/as-of.ts'
import { changedPrices, pastRate } from '../past-market/prices.ts'
import { pastView } from '../past-market/view.ts'
import type { FoldedPosition } from '../wallets/past.ts'
import type { PastFigures } from '../wallets/past-statement.ts'

/** `decimals`: by the mint's newest swap up to the slot; 0 without one. */
type TokenFigures = PastFigures & { readonly tokenId: number; readonly decimals: number }
type PoolRow = { id: number; first_slot: number; swap_count: number }
type HolderRow = { wallet_id: number; wallet: string }

/** Swaps that are read at once. */
const PAGE_SWAPS = 5_000

const findTokens = query<{ id: number }>('as-of/list_tokens_of')
const findRecompute = query<{ is_recomputed: boolean }>('as-of/find_recompute')
const listChanged = query<HolderRow>('as-of/list_changed_holders')
const listPools = query<PoolRow>('as-of/list_traded_pools')

/**
 * The figures of a token for statements of positions; undefined for a mint that is not indexed. Throws ApiError where the ledger
 * has not applied all swaps up to the slot, and where the token has too many.
 */
export async function pastPositionsOf(
  past: AsOfReading,
  mint: string,
): Promise<TokenFigures | undefined> {
  const { db, slot } = past
  const [[token]] = await Promise.all([findTokens(db, [[mint], []]), past.expectLedger()])
  if (token === undefined) return undefined
  const { id: tokenId } = token
  const [[recompute], changed] = await Promise.all([
    findRecompute(db, [tokenId]),
    listChanged(db, [tokenId, slot]),
  ])
  if (recompute?.is_recomputed === true) {
    throw new ApiError('UNAVAILABLE', 'positions of the token are being recomputed: try again')
  }
  const folded = changed.length === 0 ? [] : await foldHolders(past, { tokenId, mint, changed })
  const [prices, rate, decimals, latestMs] = await Promise.all([
    changedPrices(past, [tokenId]),
    pastRate(past),
    listPastDecimals(db, [tokenId], slot),
    past.latestMs(),
  ])
  return { tokenId, folded, prices, rate, latestMs, decimals: decimals.get(tokenId) ?? 0 }
}

/** The changed positions, as they were at the slot; none of a wallet without a swap up to it. */
async function foldHolders(
  past: AsOfReading,
  { tokenId, mint, changed }: { tokenId: number; mint: string; changed: readonly HolderRow[] },
): Promise<FoldedPosition[]> {
  const pools = await listPools(await pastView(past, { mints: [mint] }), [tokenId])
  expectFoldable(
    past,
    pools.reduce((sum, pool) => sum + Number(pool.swap_count), 0),
  )
  const wallets = new Map(changed.map(({ wallet, wallet_id }) => [wallet, wallet_id]))
  const swaps: SwapRow[] = []
  for (const pool of pools) {
    for await (const page of swapsOf(past, pool)) {
      for (const row of page) if (wallets.has(row.user_address)) swaps.push(row)
    }
  }
  const positions = new Map<number, FoldedPosition>()
  for (const swap of swaps.map(swapOfRow).sort(compareSwaps)) {
    const walletId = wallets.get(swap.user)!
    const own = positions.get(walletId) ?? { walletId, tokenId, state: emptyPosition() }
    applyToPosition(own.state, swap)
    own.state.hours.clear()
    positions.set(walletId, own)
  }
  return [...positions.values()]
}

/** Pages of a pool's swaps up to the slot, whole slots each. */
async function* swapsOf({ db, slot }: AsOfReading, pool: PoolRow): AsyncGenerator<SwapRow[]> {
  for (let low = pool.first_slot; low <= slot; ) {
    const page = await listFollowingSwaps(db, pool.id, { low, high: slot }, PAGE_SWAPS)
    await yieldToOthers()
    yield page
    if (page.length < PAGE_SWAPS) return
    low = page.reduce((greatest, row) => Math.max(greatest, row.slot), low) + 1
  }
}
