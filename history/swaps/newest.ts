/** Reads the newest stored swaps, and counts of all that are read with them. */
import type { Exact, Int64 } from '../../domain/amount.ts'
import { greatestOf, leastOf } from '../../domain/numbers/extremes.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import type { StampedRow } from './slots.ts'

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
const findExamples = query<Subjects>('swap-history/find_subjects')
const listDue = query<{ wallet: string }>('swap-history/list_due_wallets')
const listCommitted = query<StampedRow>('swap-history/list_committed_swaps')
const begin = query('swap-history/begin_audit')

export async function readNewest(db: Queryable): Promise<Newest | undefined> {
  return (await readEnds(db))[0]
}

/** Null before the first swap. */
export async function readNewestSlot(db: Queryable): Promise<number | null> {
  return (await readSlot(db))[0]?.newest_slot ?? null
}

/** Totals of everything that is indexed. */
export async function readTotals(db: Queryable): Promise<GlobalRow> {
  return (await readAll(db))[0]!
}

/** Undefined where no swap is in a position yet. */
export async function findSubjects(db: Queryable): Promise<Subjects | undefined> {
  return (await findExamples(db))[0]
}

/** Wallets of the newest swaps, and those that were viewed and traded since, whose tags are to be computed. */
export function listDueWallets(
  db: Queryable,
  { taggedMs, rows, latestMs }: DueWanted,
): Promise<{ wallet: string }[]> {
  return listDue(db, [taggedMs, rows, latestMs])
}

/** The swaps that a transaction stored, in the runs of slots that hold them. At least one run. */
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
  await begin(db, [lane])
}
