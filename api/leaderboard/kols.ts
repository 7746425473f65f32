/**
 * The table of KOLs as operators write it: merged or replaced in one transaction, so that no reader sees
 * half of a file.
 */
import type { Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import type { Kol } from '../../streams/kol.ts'

const mergeKols = query<{ is_new: boolean }>('leaderboard/merge_kols')
const deleteOtherKols = query<{ wallet: string }>('leaderboard/delete_other_kols')

export type KolOutcome = { added: number; changed: number; unchanged: number; removed: number }

/** `isWhole`: these are all there are; others go. Each wallet stands once. */
export async function storeKols(
  db: Db,
  kols: readonly Kol[],
  isWhole: boolean,
): Promise<KolOutcome> {
  const wallets = kols.map(({ wallet }) => wallet)
  const connection = await db.connect()
  try {
    await connection.query('begin')
    const gone = isWhole ? await deleteOtherKols(connection, [wallets]) : []
    const written = await mergeKols(connection, [
      wallets,
      kols.map(({ displayName }) => displayName),
      kols.map(({ twitterHandle }) => twitterHandle),
    ])
    await connection.query('commit')
    const added = written.filter(({ is_new }) => is_new).length
    return {
      added,
      changed: written.length - added,
      unchanged: kols.length - written.length,
      removed: gone.length,
    }
  } finally {
    // What is not committed goes with the connection.
    connection.release(true)
  }
}
