/**
 * Streams a wallet's stored swaps in canonical order to reads that replay them, a page at a time from one plan, so
 * that a history of 100,000 swaps is never in memory and other requests are served between pages.
 *
 * A snapshot reads one consistent state of the tables, positions and swaps alike.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Int64 } from '../../../domain/amount.ts'
import { compareChainPositions, compareSwaps } from '../../../domain/events/swap.ts'
import type { LedgerSwap } from '../../../domain/ledger/position.ts'
import type { DexId } from '../../../domain/venue.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'

export type WalletSwap = LedgerSwap & { tokenId: number }

/** The selected swaps: of some mints, of one venue, or all. */
export type SwapsWanted = {
  walletId: number
  /** The wallet's address. */
  user: string
  tokenIds?: readonly number[]
  dex?: number
}

/** A stored swap as the ledger replays it. */
export type LedgerRow = {
  token_id: number
  slot: number
  block_tx_index: number
  ix_index: number
  dex: DexId
  is_buy: boolean
  signature: string
  pair_address: string
  sol_amount: Int64
  token_amount: Int64
  timestamp_ms: number
  quote_decimals: number
  transfer_fee_in: Int64
  transfer_fee_out: Int64
}

const listRuns = query<{ first_ms: number; last_ms: number }>('wallets/list_runs', {
  isPlannedAnew: true,
})
const findSlotRange = query<{ low_slot: number; high_slot: number }>('swaps/find_slot_range')
const openSwaps = query('wallets/open_swaps')
const fetchSwaps = query<LedgerRow>('wallets/fetch_swaps')
const closeSwaps = query('wallets/close_swaps')

/**
 * Pages of swaps in canonical order, as far as the ledger has read (no position: none). To be called in
 * a snapshot, one walk at a time. Looked at are only the chunks of the days on which the wallet traded:
 * planning for all of them would take longer than reading.
 */
export async function* ledgerSwaps(
  db: Queryable,
  wanted: SwapsWanted,
): AsyncGenerator<WalletSwap[]> {
  const { walletId, tokenIds, dex } = wanted
  for (const { low, high } of await slotRuns(db, wanted)) {
    await openSwaps(db, [walletId, low, high, tokenIds ?? null, dex ?? null])
    yield* fetchedSwaps(db, wanted.user)
    await closeSwaps(db)
  }
}

/** Runs of slots that hold all the swaps, the lowest first, none twice. */
async function slotRuns(
  db: Queryable,
  { walletId, tokenIds }: SwapsWanted,
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
      return from > high ? [] : [{ low: from, high }]
    })
}

/** Reads the open cursor in pages. */
async function* fetchedSwaps(db: Queryable, user: string): AsyncGenerator<WalletSwap[]> {
  // Swaps that tie in the database's order: they are complete once a later one was read.
  let tied: WalletSwap[] = []
  for (;;) {
    const rows = await fetchSwaps(db)
    await yieldToOthers()
    const swaps = [...tied, ...rows.map((row) => ledgerSwapOf(row, user))]
    const last = swaps.at(-1)
    if (last === undefined) return
    if (rows.length === 0) {
      yield swaps.sort(compareSwaps)
      return
    }
    const firstTied = swaps.findIndex(
      (swap) => swap.dex === last.dex && compareChainPositions(swap, last) === 0,
    )
    tied = swaps.splice(firstTied)
    yield swaps.sort(compareSwaps)
  }
}

/** `user`: the wallet's address. */
export function ledgerSwapOf(row: LedgerRow, user: string): WalletSwap {
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
