/** Reads top movers from a ranking snapshot of the ranking actor. */

import { EVERY_VENUE, FORMULA_VERSION, MOVER_FIGURES } from '../../../domain/ranking.ts'
import { type MoverTimeframe, WINDOW_MINUTES } from '../../../domain/time/trade-window.ts'
import type { DexId } from '../../../domain/venue.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'

type MoversWanted = {
  timeframe: MoverTimeframe
  protocol: DexId | undefined
  limit: number
}
/** A token of a window on a venue; `venues`: those of its counted pools, bit `dex`. */
export type MoverEntry = {
  mint: string
  venues: number
  change_pct: number
  open: number
  close: number
  high: number
  low: number
  volume_sol: number
  trade_count: number
}
export type MoversFound = { gainers: MoverEntry[]; losers: MoverEntry[] }

const findPage = query<MoverEntry & { is_gainer: boolean }>('movers/find_page')

/** Both sides in order, each as long as requested; none where the snapshot is of other formulas. */
export async function readMovers(
  db: Queryable,
  { timeframe, protocol, limit }: MoversWanted,
): Promise<MoversFound> {
  const dex = protocol ?? EVERY_VENUE
  const page = [WINDOW_MINUTES[timeframe], dex]
  const rows = await findPage(db, [...page, limit, MOVER_FIGURES, FORMULA_VERSION])
  const side = (isGainer: boolean): MoverEntry[] => rows.filter((row) => row.is_gainer === isGainer)
  return { gainers: side(true), losers: side(false) }
}
