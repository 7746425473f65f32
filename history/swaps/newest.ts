/** Reads the newest stored swaps, and counts of all that are read with them. */
import type { Exact, Int64 } from '../../domain/amount.ts'
import { greatestOf, leastOf } from '../../domain/numbers/extremes.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import { ofSlots } from '../sealed/find/slots.ts'
import { SLOT_MAX } from '../sealed/pages.ts'
import { type Sealed, withSealed, withSealedOnce } from '../sealed/state.ts'
import { swapStatement } from '../sealed/statement.ts'
import type { StoredSwap } from '../sealed/stored-swap.ts'
import { laterSlot, type StampedRow } from './slots.ts'

/** Null before the first swap. `newest_ms`: where windows end; `latest_ms`: the greatest time; Unix ms. */
type Newest = { newest_ms: number | null; latest_ms: number | null; newest_slot: number | null }
/** Lamports; Unix ms, null before the first swap. */
export type GlobalRow = {
  trade_count: Int64
  volume_lamports: Exact
  pool_count: Int64
  token_count: Int64
  wallet_count: Int64
  first_ms: Int64 | null
  newest_ms: Int64 | null
  newest_slot: Int64 | null
  sol_usd: number | null
}
/** The wallet and the mint that examples of the documents name. */
export type Subjects = {
  wallet: string
  mint: string
  largest_buy_lamports: number
  symbol: string | null
  name: string | null
  sector: string | null
  creator: string | null
  other_mint: string | null
}
/** `taggedMs`: tags that were computed later are still fresh; `latestMs`: the latest time of a right clock; Unix ms. */
type DueWanted = { readonly taggedMs: number; readonly rows: number; readonly latestMs: Int64 }
type SlotRun = { readonly first: number; readonly last: number }

const readEnds = query<Newest>('swap-history/read_newest')
const readSlot = query<{ newest_slot: number | null }>('swap-history/read_newest_slot')
const readAll = query<GlobalRow>('swap-history/read_totals')
/** Newest swaps that statements read. */
const SUBJECT_SWAPS = 2_000
const DUE_SWAPS = 20_000

const findExamples = swapStatement<Subjects>('swap-history/find_subjects')
const listDue = swapStatement<{ wallet: string }>('swap-history/list_due_wallets')
const countNewer = query<{ swap_count: number }>('swap-history/count_newer_swaps')
const listCommitted = query<StampedRow>('swap-history/list_committed_swaps')
const begin = swapStatement('swap-history/begin_audit')

export function readNewest(db: Queryable): Promise<Newest | undefined> {
  return withNewestSlot(db, async () => (await readEnds(db))[0])
}

/** Null before the first swap. */
export async function readNewestSlot(db: Queryable): Promise<number | null> {
  return (await withNewestSlot(db, async () => (await readSlot(db))[0]!)).newest_slot
}

/** Totals of everything that is indexed. */
export function readTotals(db: Queryable): Promise<GlobalRow> {
  return withNewestSlot(db, async () => (await readAll(db))[0]!)
}

/** The row with the greatest slot of the table or of sealed history, which has it where later swaps were retracted. */
function withNewestSlot<Row extends { newest_slot: Int64 | null } | undefined>(
  db: Queryable,
  read: () => Promise<Row>,
): Promise<Row> {
  return withSealed(db, async (sealed) => {
    const row = await read()
    if (row === undefined) return row
    const hot = row.newest_slot === null ? null : Number(row.newest_slot)
    return { ...row, newest_slot: await laterSlot(db, sealed, hot, SLOT_MAX) }
  })
}

/** Sealed swaps that are among the newest `count` of all. */
async function sealedAmongNewest(
  db: Queryable,
  sealed: Sealed,
  count: number,
): Promise<StoredSwap[]> {
  if (sealed.lastSlot < 0) return []
  const [newer] = await countNewer(db, [sealed.lastSlot, count])
  const rows = count - (newer?.swap_count ?? 0)
  if (rows <= 0) return []
  return ofSlots(db, sealed, [{ low: 0, high: SLOT_MAX }], { order: 'desc', rows })
}

/** Undefined where no swap is in a position yet. */
export function findSubjects(db: Queryable): Promise<Subjects | undefined> {
  return withSealed(db, async (sealed) => {
    const swaps = await sealedAmongNewest(db, sealed, SUBJECT_SWAPS)
    return (await findExamples(db, [], swaps))[0]
  })
}

/** Wallets of the newest swaps, and those that were viewed and traded since, whose tags are to be computed. */
export function listDueWallets(
  db: Queryable,
  { taggedMs, rows, latestMs }: DueWanted,
): Promise<{ wallet: string }[]> {
  return withSealed(db, async (sealed) => {
    const swaps = await sealedAmongNewest(db, sealed, DUE_SWAPS)
    return listDue(db, [taggedMs, rows, latestMs], swaps)
  })
}

/**
 * The swaps that a transaction stored, in the runs of slots that hold them. At least one run. None of them is sealed: swaps
 * that are not published yet are not, and those that were moved back to the table are of another transaction.
 */
export function listCommittedSwaps(
  db: Queryable,
  transactionId: string,
  runs: readonly SlotRun[],
): Promise<StampedRow[]> {
  const firsts = runs.map(({ first }) => first)
  const lasts = runs.map(({ last }) => last)
  return listCommitted(db, [transactionId, firsts, lasts, leastOf(firsts), greatestOf(lasts)])
}

/** Begins an audit of all wallets of a lane, not before the first swap is stored. */
export async function beginAudit(db: Queryable, lane: number): Promise<void> {
  await withSealedOnce(db, async (sealed) => {
    const all = { low: 0, high: SLOT_MAX }
    await begin(db, [lane], await ofSlots(db, sealed, [all], { order: 'desc', rows: 1 }))
  })
}
