/**
 * Gaps of the coverage in time, for answers that fold a range of the history.
 *
 * The gaps are cached for a few seconds, because they change only when a source of chain data records slots: most
 * uncached responses need no statement for them. A read that misses the cache uses the connection of its request, so that
 * no request waits for one that is cancelled.
 */
import { boundGaps, gapsByVenues } from '../../../domain/coverage.ts'
import { listCoverage } from '../../../sql/coverage.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import type { TimedGap } from './present.ts'

const listTimes = query<{ before_ms: number | null; after_ms: number | null }>(
  'coverage/list_gap_times',
)

const CACHE_MS = 5_000
/** Bound of an answer: of more gaps, the oldest are one. */
const GAPS_MAX = 100

export class CoverageGaps {
  #cached: { readonly gaps: readonly TimedGap[] | undefined; readonly atMs: number } | undefined

  /** The gaps, ascending; undefined where no slot was read from the chain. */
  async read(db: Queryable): Promise<readonly TimedGap[] | undefined> {
    const atMs = performance.now()
    if (this.#cached !== undefined && atMs - this.#cached.atMs < CACHE_MS) return this.#cached.gaps
    const gaps = await readGaps(db)
    this.#cached = { gaps, atMs }
    return gaps
  }
}

async function readGaps(db: Queryable): Promise<readonly TimedGap[] | undefined> {
  const coverage = await listCoverage(db)
  if (coverage.length === 0) return undefined
  const gaps = boundGaps(gapsByVenues(coverage), GAPS_MAX)
  if (gaps.length === 0) return []
  const times = await listTimes(db, [gaps.map(({ from }) => from), gaps.map(({ to }) => to)])
  return gaps.map((gap, index) => ({
    ...gap,
    beforeMs: times[index]?.before_ms ?? null,
    afterMs: times[index]?.after_ms ?? null,
  }))
}
