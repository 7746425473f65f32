/**
 * Streams a wallet's stored swaps in canonical order to reads that replay them, a page at a time from one plan, so
 * that a history of 100,000 swaps is never in memory and other requests are served between pages.
 *
 * A snapshot reads one consistent state of the tables, positions and swaps alike.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { compareChainPositions, compareSwaps } from '../../../domain/events/swap.ts'
import type { PositionEnd } from '../../../domain/ledger/held-swaps.ts'
import type { LedgerSwap } from '../../../domain/ledger/position.ts'
import { type LedgerRow, type PositionEndRow, walletSwaps } from '../../../history/swaps/wallets.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'

export type WalletSwap = LedgerSwap & { tokenId: number }
type StoredRow = LedgerRow & { token_id: number }

/** The selected swaps: of some mints, of one venue, or all. */
export type SwapsWanted = {
  walletId: number
  /** The wallet's address. */
  user: string
  tokenIds?: readonly number[]
  dex?: number
  /** The last slot; absent: all. */
  untilSlot?: number
}

const listRuns = query<{ first_ms: number; last_ms: number }>('wallets/list_runs', {
  isPlannedAnew: true,
})
const findSlotRange = query<{ low_slot: number; high_slot: number }>('swaps/find_slot_range')

/**
 * Pages of swaps in canonical order, as far as the ledger has read (no position: none). To be called in
 * a snapshot, one walk at a time. Looked at are only the chunks of the days on which the wallet traded:
 * planning for all of them would take longer than reading.
 */
export async function* ledgerSwaps(
  db: Queryable,
  wanted: SwapsWanted,
): AsyncGenerator<WalletSwap[]> {
  const { user, untilSlot: _, ...owned } = wanted
  for (const run of await slotRuns(db, wanted)) {
    yield* canonicalPages(walletSwaps(db, { ...owned, ...run }), user)
  }
}

/** Runs of slots that hold all the swaps, the lowest first, none twice. */
async function slotRuns(
  db: Queryable,
  { walletId, tokenIds, untilSlot = Number.MAX_SAFE_INTEGER }: SwapsWanted,
): Promise<{ low: number; high: number }[]> {
  const found: { low: number; high: number }[] = []
  for (const { first_ms, last_ms } of await listRuns(db, [walletId, tokenIds ?? null])) {
    const [slots] = await findSlotRange(db, [first_ms, last_ms])
    if (slots !== undefined) found.push({ low: slots.low_slot, high: slots.high_slot })
  }
  // Where times and slots disagree, runs that lie apart in time may share slots, or be turned around.
  let done = -1
  return found
    .sort((a, b) => a.low - b.low)
    .flatMap(({ low, high }) => {
      const from = Math.max(low, done + 1)
      done = Math.max(done, high)
      const until = Math.min(high, untilSlot)
      return from > until ? [] : [{ low: from, high: until }]
    })
}

/** Pages in the database's order, in canonical order. */
async function* canonicalPages(
  pages: AsyncIterable<StoredRow[]>,
  user: string,
): AsyncGenerator<WalletSwap[]> {
  // Swaps that tie in the database's order: they are complete once a later one was read.
  let tied: WalletSwap[] = []
  for await (const rows of pages) {
    await yieldToOthers()
    const swaps = [...tied, ...rows.map((row) => ledgerSwapOf(row, user))]
    const last = swaps.at(-1)!
    const firstTied = swaps.findIndex(
      (swap) => swap.dex === last.dex && compareChainPositions(swap, last) === 0,
    )
    tied = swaps.splice(firstTied)
    yield swaps.sort(compareSwaps)
  }
  if (tied.length > 0) yield tied.sort(compareSwaps)
}

export const positionEndOf = (row: PositionEndRow): PositionEnd => ({
  swapCount: row.swap_count,
  slot: row.last_slot,
  ixIndex: row.last_ix_index,
  dex: row.last_dex,
  isBuy: row.last_is_buy,
  solAmount: row.last_sol_amount,
  tokenAmount: row.last_token_amount,
})

/** `user`: the wallet's address. */
export function ledgerSwapOf(row: StoredRow, user: string): WalletSwap {
  return {
    tokenId: row.token_id,
    slot: row.slot,
    blockTxIndex: row.block_tx_index,
    ixIndex: row.ix_index,
    dex: row.dex,
    isBuy: row.is_buy,
    signature: row.signature,
    pairAddress: row.pair_address,
    user,
    solAmount: row.sol_amount,
    tokenAmount: row.token_amount,
    timestamp: row.timestamp_ms,
    quoteDecimals: row.quote_decimals,
    transferFeeIn: row.transfer_fee_in,
    transferFeeOut: row.transfer_fee_out,
  }
}
