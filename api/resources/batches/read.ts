/** Reads positions of many pairs of wallet and mint: one statement, however many pairs. */
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import type { AsOfReading } from '../../routing/reading/as-of.ts'
import type { PositionRow } from '../pnl/read.ts'
import { pastPairs } from '../wallets/past.ts'
import { pastFigures, withPastPrices } from '../wallets/past-prices.ts'
import { pastStatement } from '../wallets/past-statement.ts'

type Pair = { wallet: string; mint: string }
/** A position with its wallet, and US dollars a SOL. */
export type OwnedRow = PositionRow & { wallet: string; sol_usd: number | null }

type PairRow = OwnedRow & { ordinal: number; token_id: number }

/** Planned per execution: a generic plan may scan all holders of a mint. */
const PLANNING = { isPlannedAnew: true }
const listPairs = query<PairRow>('batches/list_pairs', PLANNING)
const listPastPairs = pastStatement<PairRow>('batches/list_pairs', PLANNING)

/** One a pair, in their order; undefined where the wallet never traded the mint. */
export async function readPairs(
  db: Queryable,
  pairs: readonly Pair[],
): Promise<(OwnedRow | undefined)[]> {
  return inOrder(pairs, await listPairs(db, columnsOf(pairs)))
}

/** The same as of a slot. */
export async function readPastPairs(
  past: AsOfReading,
  pairs: readonly Pair[],
): Promise<(OwnedRow | undefined)[]> {
  const { wallets, tokenIds } = await pastPairs(past, pairs)
  const figures = await pastFigures(past, wallets, tokenIds)
  const rows = await listPastPairs(past, columnsOf(pairs), figures)
  return inOrder(pairs, await withPastPrices(past, rows, figures.priced))
}

const columnsOf = (pairs: readonly Pair[]): [string[], string[]] => [
  pairs.map(({ wallet }) => wallet),
  pairs.map(({ mint }) => mint),
]

function inOrder(pairs: readonly Pair[], rows: readonly PairRow[]): (OwnedRow | undefined)[] {
  const byIndex = new Map(rows.map((row) => [row.ordinal, row]))
  return pairs.map((_, index) => byIndex.get(index + 1))
}
