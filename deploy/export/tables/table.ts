/** The tables of an export, and what limits them. A table reads its rows within the transaction of the export. */

import type { Int64 } from '../../../domain/amount.ts'
import type { Timeframe } from '../../../domain/time/timeframe.ts'
import type { LeaderboardPeriod } from '../../../domain/wallet/leaderboard.ts'
import type { PnlMode } from '../../../domain/wallet/pnl-mode.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { type Query, query, variants } from '../../../sql/query.ts'
import type { Column, Row } from '../columns.ts'

export const TABLE_NAMES = ['swaps', 'candles', 'positions', 'lots', 'leaderboard'] as const
export type TableName = (typeof TABLE_NAMES)[number]

export type Limits = {
  /** Unix ms, inclusive. */
  fromMs: number
  toMs: Int64
  timeframe: Timeframe
  period: LeaderboardPeriod
  mode: PnlMode
  /** Whether the leaderboard is without arbitrageurs. */
  isHonest: boolean
}

export type Table = {
  columns: readonly Column[]
  /** Batches, in an order that depends on the rows only. */
  read(db: Queryable, limits: Limits): AsyncIterable<readonly Row[]>
}

/** Tables that this folder reads by cursors of its own; the others read swaps. */
const CURSORS = ['candles', 'positions', 'leaderboard'] as const
const FETCH = variants('export/fetch_rows', CURSORS)
const CLOSE = variants('export/close_rows', CURSORS)
type Slots = { low_slot: number; high_slot: number }
const findSlotRange = query<Slots>('swaps/find_slot_range')

/** Rows of a table's cursor in batches. */
export async function* readCursor<StoredRow>(
  db: Queryable,
  name: (typeof CURSORS)[number],
  open: Query<Record<string, unknown>>,
  parameters: readonly unknown[] = [],
): AsyncGenerator<StoredRow[]> {
  await open(db, parameters)
  for (;;) {
    const rows = await FETCH[name](db)
    if (rows.length === 0) break
    yield rows as StoredRow[]
  }
  await CLOSE[name](db)
}

/** The slots that hold all swaps of a range of time; undefined where there are none. */
export async function slotsOf(db: Queryable, fromMs: number, toMs: Int64) {
  const [slots] = await findSlotRange(db, [fromMs, toMs])
  return slots
}
