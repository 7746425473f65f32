/** Where a source that follows the chain continues. */
import { type Coverage, missingParts } from '../../domain/coverage.ts'
import { listCoverage } from '../../sql/coverage.ts'
import type { Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'

/** Sources that follow the chain, as `swaptide source` and the table `coverage` name them. */
export const FOLLOWING = ['rpc', 'geyser', 'portal'] as const

/** Word for the newest slot instead of a number. */
export const NEWEST = 'newest'

const findUnlistedBlock = query<{ slot: number | null }>('coverage/find_unlisted_block')

/** `isNext`: the slot is the one after the last run's last, or lies before it. */
type Resumption = { slot: number; isNext: boolean }

/**
 * The first slot, up to `end`, that a source of these venues (bits) is to read; undefined where there was no run. Slots whose
 * blocks were replaced in a fork, but not recorded since, are read again.
 */
export async function findResumption(
  db: Db,
  venues: number,
  end: number,
): Promise<Resumption | undefined> {
  const resumed = afterLastRun(await listCoverage(db), venues, end)
  if (resumed === undefined) return undefined
  const [row] = await findUnlistedBlock(db, [resumed.slot, venues])
  return row?.slot == null ? resumed : { slot: row.slot, isNext: true }
}

/** The first slot after the last run that no source has read. Pure. */
function afterLastRun(
  covered: readonly Coverage[],
  venues: number,
  end: number,
): Resumption | undefined {
  const own = covered.filter((range) => FOLLOWING.some((kind) => kind === range.source))
  if (own.length === 0) return undefined
  const last = Math.max(...own.map(({ to }) => to))
  const [missing] = missingParts(covered, { from: last + 1, to: end }, venues)
  const slot = missing?.from ?? end + 1
  return { slot, isNext: slot === last + 1 }
}
