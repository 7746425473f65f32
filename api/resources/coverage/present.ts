/** Coverage as the interface shows it: the same for REST, GraphQL and `swaptide coverage --json`. Pure. */
import { type Gap, gapsByVenues, venuesOfBits } from '../../../domain/coverage.ts'
import { type DexId, venueOf } from '../../../domain/venue.ts'
import type { CoverageWithHistory } from './read.ts'
import type { PresentedGap } from './schema.ts'

/** Times of the indexed swaps next to the gap, Unix ms; null without one. */
export type TimedGap = Gap & { readonly beforeMs: number | null; readonly afterMs: number | null }

export const venueNames = (venues: readonly DexId[]): string[] =>
  venues.map((dex) => venueOf(dex).name)

export function presentCoverage({ coverage, history }: CoverageWithHistory) {
  return {
    ranges: coverage.map((range) => ({
      venues: venueNames(venuesOfBits(range.venues)),
      from_slot: range.from,
      to_slot: range.to,
      swaps: range.swaps,
      decoder_version: range.decoderVersion,
      source: range.source,
      commitment: range.commitment,
    })),
    gaps: gapsByVenues(coverage).map(({ from, to, venues }) => ({
      venues: venueNames(venues),
      from_slot: from,
      to_slot: to,
    })),
    ...history,
  }
}

/**
 * The field of an answer that folds what happened from `fromMs` on: the gaps that end later; nothing where
 * no slot was read from the chain.
 */
export function presentGaps(
  gaps: readonly TimedGap[] | undefined,
  fromMs: number,
): { coverage_gaps?: PresentedGap[] } {
  if (gaps === undefined) return {}
  const own = gaps.filter(({ afterMs }) => afterMs === null || afterMs > fromMs)
  return {
    coverage_gaps: own.map(({ venues, from, to, beforeMs, afterMs }) => ({
      venues: venueNames(venues),
      from_slot: from,
      to_slot: to,
      from_timestamp: beforeMs,
      to_timestamp: afterMs,
    })),
  }
}
