/**
 * The table of KOLs as operators write it: one by one, or merged or replaced in one transaction, so that
 * no reader sees half of a file. Every change is written to the audit.
 */
import type { Db } from '../../../sql/db.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import type { Kol } from '../../../streams/ingest/kol-line.ts'

const mergeKols = query<{ is_new: boolean }>('leaderboard/merge_kols')
const deleteOtherKols = query<{ wallet: string }>('leaderboard/delete_other_kols')
const deleteKol = query<{ wallet: string }>('leaderboard/delete_kol')
const selectKols = query<KolRow>('leaderboard/list_kols')

export type KolRow = { wallet: string; display_name: string; twitter_handle: string }

type KolOutcome = { added: number; changed: number; unchanged: number; removed: number }

/** KOLs after a wallet in order of address; '' comes before all. */
export function listKols(db: Queryable, after: string, limit: number): Promise<KolRow[]> {
  return selectKols(db, [after, limit])
}

/** Adds a KOL or changes it. Resolves to whether there was none of this wallet. */
export async function storeKol(db: Queryable, kol: Kol, by: string): Promise<boolean> {
  const [written] = await mergeKols(db, [...columnsOf([kol]), by])
  return written?.is_new ?? false
}

/** Resolves to false where there is none of this wallet. */
export async function removeKol(db: Queryable, wallet: string, by: string): Promise<boolean> {
  return (await deleteKol(db, [wallet, by])).length > 0
}

/** merge: others stay. replace: these are all there are. clear: the same, where there may be none at all. */
export type KolStoring = 'merge' | 'replace' | 'clear'

/** A replacement without a row would remove everything, and is nearly always a wrong or truncated file. */
export class EmptyReplacement extends Error {
  override name = 'EmptyReplacement'
}

/** Each wallet is listed once. Rejects with EmptyReplacement, and then nothing was changed. */
export async function storeKols(
  db: Db,
  kols: readonly Kol[],
  storing: KolStoring,
  by: string,
): Promise<KolOutcome> {
  if (storing === 'replace' && kols.length === 0) {
    throw new EmptyReplacement('there is no row to replace the KOLs by: all would be removed')
  }
  const columns = columnsOf(kols)
  const connection = await db.connect()
  try {
    await connection.query('begin')
    const gone = storing !== 'merge' ? await deleteOtherKols(connection, [columns[0], by]) : []
    const written = await mergeKols(connection, [...columns, by])
    await connection.query('commit')
    const added = written.filter(({ is_new }) => is_new).length
    return {
      added,
      changed: written.length - added,
      unchanged: kols.length - written.length,
      removed: gone.length,
    }
  } finally {
    // Closing the connection rolls an open transaction back.
    connection.release(true)
  }
}

function columnsOf(kols: readonly Kol[]): [string[], string[], (string | null)[]] {
  return [
    kols.map(({ wallet }) => wallet),
    kols.map(({ displayName }) => displayName),
    kols.map(({ twitterHandle }) => twitterHandle ?? null),
  ]
}
