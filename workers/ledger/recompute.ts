/**
 * Recomputes positions from the `swap` table, beginning with the newest snapshot before a slot.
 *
 * Law: the pool lanes' commits are read before the swaps are, so a recomputed position holds every swap of those
 * commits from the slot on where the fold began (its cover); their messages in FEED change nothing. A swap of a later
 * commit may be included or not, one of an earlier slot only if it was decoded before: it arrives by FEED, is not
 * newer, and the position is recomputed again. In any order of arrival the rows end as the fold of the table.
 * Decision: docs/decisions/0021-positions-are-recomputed-from-snapshots.md
 */

import { compareSwaps, type SwapOrderKey } from '../../domain/events/swap.ts'
import { emptyPosition, type LedgerSwap, soldQuantity } from '../../domain/ledger/position.ts'
import { readSealed } from '../../history/sealed/state.ts'
import { type LedgerRow, listPositionSwaps } from '../../history/swaps/wallets.ts'
import type { Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import {
  type Again,
  applySwaps,
  type Holding,
  type HoldingKey,
  holdingKey,
  type PositionName,
  resumePointOf,
} from './holding.ts'
import { unpackState } from './rows/packed-position.ts'
import { type NamedPosition, pairs, readCover, supplyLots } from './store.ts'

/** A position that is being recomputed, page by page. */
export type Recompute = {
  readonly user: string
  /** The new state; the lane's memory holds the old one until the recompute is complete. */
  readonly holding: Holding
  readonly again: Again
  /** The newest swap of that snapshot. */
  readonly after: SwapOrderKey | undefined
  /** All slots below are folded. */
  nextSlot: number
  /** Whether swaps that were dropped are needed: then the stored position stays. */
  readonly isRefused: boolean
}

type SnapshotRow = {
  wallet_id: number
  token_id: number
  swap_count: number
  state: Buffer
  next_slot: number | null
}

const listBegunBefore = query<{ wallet_id: number; token_id: number }>('ledger/list_begun_before')
const loadSnapshots = query<SnapshotRow>('ledger/load_snapshots')

/** Where each begins: `fromSlot` is the slot of the earliest swap that it may lack. */
export async function beginRecomputes(
  db: Db,
  positions: readonly (NamedPosition & { fromSlot: number })[],
): Promise<Recompute[]> {
  const commits = await readCover(db)
  const rows = await loadSnapshots(db, [
    ...pairs(positions),
    positions.map(({ fromSlot }) => fromSlot),
  ])
  const snapshots = new Map(
    rows.map((row) => [holdingKey({ walletId: row.wallet_id, tokenId: row.token_id }), row]),
  )
  const old = await begunBefore(db, positions)
  return positions.map(({ walletId, tokenId, user, fromSlot }) => {
    const snapshot = snapshots.get(holdingKey({ walletId, tokenId }))
    const state = snapshot === undefined ? emptyPosition() : unpackState(snapshot.state)
    return {
      user,
      isRefused:
        old !== undefined &&
        Math.max(state.last?.slot ?? -1, snapshot?.next_slot ?? -1) < old.sinceSlot &&
        old.keys.has(holdingKey({ walletId, tokenId })),
      holding: {
        walletId,
        tokenId,
        state,
        isNew: false,
        isPending: false,
        cover: { commits, fromSlot: state.last === undefined ? 0 : state.last.slot + 1 },
        snapshots: [],
        recent: { base: snapshot?.state, after: state.last, wasLate: true, swaps: [] },
      },
      again: resumePointOf(state, fromSlot),
      after: state.last,
      // A snapshot that is older than the stored swaps contains all that were dropped.
      nextSlot: Math.max(state.last?.slot ?? 0, old?.sinceSlot ?? 0),
    }
  })
}

/** Positions of which a swap may have been dropped; undefined where none was. */
async function begunBefore(
  db: Db,
  positions: readonly PositionName[],
): Promise<{ keys: ReadonlySet<HoldingKey>; sinceSlot: number } | undefined> {
  const { since } = await readSealed(db)
  if (since === undefined) return undefined
  const rows = await listBegunBefore(db, [...pairs(positions), since.ms])
  const keys = rows.map((row) => holdingKey({ walletId: row.wallet_id, tokenId: row.token_id }))
  return { keys: new Set(keys), sinceSlot: since.slot }
}

/** Folds about `swapsMax` more swaps of each; returns the completed ones. */
export async function continueRecomputes(
  db: Db,
  recomputes: readonly Recompute[],
  swapsMax: number,
): Promise<Set<Recompute>> {
  if (recomputes.length === 0) return new Set()
  const positions = recomputes.map(({ holding: { walletId, tokenId }, nextSlot }) => ({
    walletId,
    tokenId,
    fromSlot: nextSlot,
  }))
  const rows = await listPositionSwaps(db, positions, swapsMax)
  const pages = recomputes.map((): LedgerSwap[] => [])
  for (const row of rows) {
    const recompute = recomputes[row.ordinal - 1]!
    pages[row.ordinal - 1]!.push(swapOfRow(row, recompute.user))
  }
  const newer = recomputes.map(({ after }, index) =>
    after === undefined
      ? pages[index]!
      : pages[index]!.filter((swap) => compareSwaps(swap, after) > 0),
  )
  await supplyLots(
    db,
    recomputes.map(({ holding }, index) => ({ holding, quantity: sold(newer[index]!) })),
  )
  const done = new Set<Recompute>()
  for (const [index, recompute] of recomputes.entries()) {
    applySwaps(recompute.holding, newer[index]!.sort(compareSwaps))
    const page = pages[index]!
    recompute.nextSlot = (page.at(-1)?.slot ?? recompute.nextSlot) + 1
    if (page.length < swapsMax) done.add(recompute)
  }
  return done
}

export function sold(swaps: readonly LedgerSwap[]): bigint {
  let quantity = 0n
  for (const swap of swaps) if (!swap.isBuy) quantity += soldQuantity(swap)
  return quantity
}

/** A stored swap, as far as the ledger reads it. */
function swapOfRow(row: LedgerRow, user: string): LedgerSwap {
  return {
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
