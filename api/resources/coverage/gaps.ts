/**
 * Gaps of the coverage in time, for answers that fold a range of the history, and since when that is complete.
 *
 * The gaps are cached for a few seconds, because they change only when a source of chain data records slots: most
 * uncached responses need no statement for them. A read that misses the cache uses the connection of its request, so that
 * no request waits for one that is cancelled.
 *
 * Decision: docs/decisions/0094-complete-since-is-derived.md
 */
import { boundGaps, type Coverage, finalizedUntil, gapsByVenues } from '../../../domain/coverage.ts'
import { listTimesAround } from '../../../history/swaps/slots.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import type { HistoryFields, HistorySource } from '../../routing/reading/history.ts'
import type { TimedGap } from './present.ts'
import { readCoverage, readHistory } from './read.ts'

const CACHE_MS = 5_000
/** Bound of an answer: of more gaps, the oldest are one. */
const GAPS_MAX = 100

/** `gaps` is undefined and `history` empty where no slot was read from the chain. */
type Found = {
  readonly gaps: readonly TimedGap[] | undefined
  readonly history: HistoryFields
  readonly coverage: readonly Coverage[]
  readonly finalizedSlot: number | undefined
}

export class CoverageGaps {
  #cached: (Found & { readonly atMs: number }) | undefined

  /** The gaps, ascending; undefined where no slot was read from the chain. */
  async read(db: Queryable): Promise<readonly TimedGap[] | undefined> {
    return (await this.#find(db)).gaps
  }

  /** The gaps, and up to which slot finalized blocks were read; undefined where none were. */
  async readFinalized(db: Queryable): Promise<Pick<Found, 'gaps' | 'finalizedSlot'>> {
    const { gaps, finalizedSlot } = await this.#find(db)
    return { gaps, finalizedSlot }
  }

  /** Since when the history is complete, from the same read. */
  get history(): HistorySource {
    return {
      cached: () => this.#fresh()?.history,
      read: async (db) => (await this.#find(db)).history,
      until: async (db, slot) => {
        const { history, coverage } = await this.#find(db)
        // Where all gaps are before the slot, it is that of now.
        const isOfNow = (history.complete_since ?? 0) <= slot
        return isOfNow ? history : readHistory(db, coverage, slot)
      },
    }
  }

  #fresh(): Found | undefined {
    const cached = this.#cached
    return cached !== undefined && performance.now() - cached.atMs < CACHE_MS ? cached : undefined
  }

  async #find(db: Queryable): Promise<Found> {
    const cached = this.#fresh()
    if (cached !== undefined) return cached
    const atMs = performance.now()
    const { coverage, history } = await readCoverage(db)
    const finalizedSlot = finalizedUntil(coverage)
    const found = { gaps: await readGaps(db, coverage), history, coverage, finalizedSlot }
    this.#cached = { ...found, atMs }
    return found
  }
}

async function readGaps(
  db: Queryable,
  coverage: readonly Coverage[],
): Promise<readonly TimedGap[] | undefined> {
  if (coverage.length === 0) return undefined
  const gaps = boundGaps(gapsByVenues(coverage), GAPS_MAX)
  if (gaps.length === 0) return []
  const [firsts, lasts] = [gaps.map(({ from }) => from), gaps.map(({ to }) => to)]
  const times = await listTimesAround(db, firsts, lasts)
  return gaps.map((gap, index) => ({
    ...gap,
    beforeMs: times[index]?.before_ms ?? null,
    afterMs: times[index]?.after_ms ?? null,
  }))
}
