/** Reads positions of many pairs of wallet and mint: one statement, however many pairs. */
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import type { PositionRow } from '../pnl/read.ts'

type Pair = { wallet: string; mint: string }
/** A position with its wallet, and US dollars a SOL. */
export type OwnedRow = PositionRow & { wallet: string; sol_usd: number | null }

/** Planned per execution: a generic plan may scan all holders of a mint. */
const listPairs = query<OwnedRow & { ordinal: number }>('batches/list_pairs', {
  isPlannedAnew: true,
})

/** One a pair, in their order; undefined where the wallet never traded the mint. */
export async function readPairs(
  db: Queryable,
  pairs: readonly Pair[],
): Promise<(OwnedRow | undefined)[]> {
  const wallets = pairs.map(({ wallet }) => wallet)
  const mints = pairs.map(({ mint }) => mint)
  const rows = await listPairs(db, [wallets, mints])
  const byIndex = new Map(rows.map((row) => [row.ordinal, row]))
  return pairs.map((_, index) => byIndex.get(index + 1))
}
