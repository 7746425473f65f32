/**
 * The whole leaderboard of a period as /v2/pnl/leaderboard/top ranks it, computed from the tables of the export: the ranking
 * that the API stores may be minutes old.
 */
import { presentRank } from '../../../api/resources/leaderboard/present.ts'
import type { RankRow } from '../../../api/resources/leaderboard/read.ts'
import { rank } from '../../../api/resources/leaderboard/schema.ts'
import { unbounded } from '../../../api/routing/schema.ts'
import { lastMsOf, rankedHours } from '../../../domain/wallet/leaderboard.ts'
import { tagsOf } from '../../../domain/wallet/wallet-tag.ts'
import { listArbitrageurs } from '../../../history/swaps/wallets.ts'
import { int4Array } from '../../../sql/binary/arrays.ts'
import { query } from '../../../sql/query.ts'
import { columnsOf } from '../columns.ts'
import { readCursor, slotsOf, type Table } from './table.ts'

type Stored = RankRow & { bits: number | null }

const readNewest = query<{ newest_ms: number | null }>('leaderboard/read_newest')
const openLeaderboard = query('export/open_leaderboard', { isPlannedAnew: true })

export const leaderboard: Table = {
  columns: columnsOf({
    ...rank.properties,
    realized_lamports: unbounded({ description: 'realized_sol, exactly, lamports' }),
  }),
  async *read(db, { period, mode, isHonest }) {
    const [newest] = await readNewest(db)
    if (newest === undefined || newest.newest_ms === null) return
    const { ranked, judged } = rankedHours(period, newest.newest_ms)
    const slots = await slotsOf(db, judged.fromMs, lastMsOf(judged))
    const range = { low: slots?.low_slot ?? 0, high: slots?.high_slot ?? 0 }
    const left = isHonest ? await listArbitrageurs(db, judged, range) : []
    const parameters = [ranked.fromMs, ranked.toMs, mode, int4Array(left)]
    for await (const rows of readCursor<Stored>(db, 'leaderboard', openLeaderboard, parameters)) {
      yield rows.map((row) => ({
        ...presentRank({ ...row, tags: tagsOf(row.bits ?? 0) }),
        realized_lamports: BigInt(row.realized),
      }))
    }
  },
}
