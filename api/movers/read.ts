/** Reads of top movers: a page that the ranking actor rolled. */
import type { Queryable } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import {
  type MoverEntry,
  type MoverTimeframe,
  moverEntries,
  WINDOW_MINUTES,
} from '../../streams/ranking.ts'
import { dexOfName } from '../../streams/venue.ts'

export type MoversWanted = {
  timeframe: MoverTimeframe
  protocol: string | undefined
  limit: number
}
export type MoversFound = { gainers: MoverEntry[]; losers: MoverEntry[] }

const findPage = query<{ gainers: string; losers: string }>('movers/find_page')

const ALL_VENUES = 0

/** Both sides in order, each as long as asked. */
export async function readMovers(
  db: Queryable,
  { timeframe, protocol, limit }: MoversWanted,
): Promise<MoversFound> {
  const dex = (protocol === undefined ? undefined : dexOfName(protocol)) ?? ALL_VENUES
  const [page] = await findPage(db, [WINDOW_MINUTES[timeframe], dex])
  const side = (text = '[]'): MoverEntry[] => moverEntries(text, limit)
  return { gainers: side(page?.gainers), losers: side(page?.losers) }
}
