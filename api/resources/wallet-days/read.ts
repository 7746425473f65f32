/**
 * Reads a wallet's days: sums of its hours and, for its cost basis at the end of each, the cash flow that has no cost.
 *
 * Most positions have none of the latter, and their hours are enough; those that have some are replayed from their
 * swaps, as far as the ledger has read.
 */
import { HeldSwaps } from '../../../domain/ledger/held-swaps.ts'
import type { PnlMode } from '../../../domain/wallet/pnl-mode.ts'
import type { PositionEndRow } from '../../../history/swaps/wallets.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { type AsOfReading, expectFoldable } from '../../routing/reading/as-of.ts'
import { ledgerSwaps, positionEndOf, type WalletSwap } from '../wallets/ledger-swaps.ts'
import { changedSwaps, foldChanged, pastWallet } from '../wallets/past.ts'
import { type DayRow, DaySums } from './sums.ts'
import { UncostedFlow } from './uncosted.ts'

type UncostedRow = PositionEndRow & { wallet_id: number; token_id: number }
export type WalletHistory = { days: DayRow[]; uncosted: ReadonlyMap<number, bigint> }

const listDays = query<DayRow>('wallet-days/list_days')
const listUncosted = query<UncostedRow>('wallet-days/list_uncosted')

/** Days with a trade from the first to the last, both by the ms with which they begin; none for an unknown wallet. */
export function readDayRows(
  db: Queryable,
  wallet: string,
  mode: PnlMode,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<DayRow[]> {
  return listDays(db, [wallet, mode, fromMs, toMs, null])
}

/** The same as of a slot. */
export async function readPastDayRows(
  past: AsOfReading,
  wallet: string,
  mode: PnlMode,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<DayRow[]> {
  const found = await pastWallet(past, wallet)
  if (found === undefined) return []
  const rows = await listDays(past.db, [wallet, mode, fromMs, toMs, found.changed])
  if (found.swaps === undefined) return rows
  const days = new DaySums(mode, { fromMs, toMs })
  await foldChanged(past, found, (tokenId, figures) => days.add(tokenId, figures))
  return days.with(rows)
}

/** The same as of a slot. Throws ApiError where the swaps of positions with such flow are too many. */
export async function readPastHistory(
  past: AsOfReading,
  wallet: string,
  mode: PnlMode,
  toMs: number,
): Promise<WalletHistory> {
  const { db, slot } = past
  const days = await readPastDayRows(past, wallet, mode, { fromMs: 0, toMs })
  const flow = new UncostedFlow()
  const found = await pastWallet(past, wallet)
  if (found === undefined) return { days, uncosted: flow.byDay }
  const rows = (await listUncosted(db, [wallet])).filter(({ last_slot }) => last_slot <= slot)
  const swapCount = rows.reduce((sum, row) => sum + Number(row.swap_count), 0)
  expectFoldable(past, swapCount)
  // Any of the changed positions may have had some at the slot; others add nothing.
  for await (const swaps of changedSwaps(past, found)) for (const swap of swaps) flow.take(swap)
  const tokenIds = rows.map((row) => row.token_id)
  if (tokenIds.length === 0) return { days, uncosted: flow.byDay }
  const wanted = { walletId: found.walletId, user: wallet, tokenIds, untilSlot: slot }
  for await (const swaps of ledgerSwaps(db, wanted)) for (const swap of swaps) flow.take(swap)
  return { days, uncosted: flow.byDay }
}

/** All days up to one. To be called in a snapshot. */
export async function readHistory(
  db: Queryable,
  wallet: string,
  mode: PnlMode,
  toMs: number,
): Promise<WalletHistory> {
  const [days, rows] = await Promise.all([
    readDayRows(db, wallet, mode, { fromMs: 0, toMs }),
    listUncosted(db, [wallet]),
  ])
  const flow = new UncostedFlow()
  const [first] = rows
  if (first === undefined) return { days, uncosted: flow.byDay }
  const heldOf = new Map(
    rows.map((row) => [row.token_id, new HeldSwaps<WalletSwap>(positionEndOf(row))]),
  )
  const wanted = { walletId: first.wallet_id, user: wallet, tokenIds: [...heldOf.keys()] }
  for await (const swaps of ledgerSwaps(db, wanted)) {
    for (const swap of swaps) if (heldOf.get(swap.tokenId)?.take(swap)) flow.take(swap)
  }
  for (const held of heldOf.values()) for (const swap of held.rest()) flow.take(swap)
  return { days, uncosted: flow.byDay }
}
