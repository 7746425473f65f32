/**
 * The ten venues and their constants, as one table: names, mechanics, how price impact is measured,
 * and the dates from which a rule holds. A new venue or a new cut-over is a line here.
 */

/** Venue integer of the interface (DexId), 1..10. */
export type DexId = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10

export type VenueKind =
  | 'bonding_curve'
  | 'constant_product'
  | 'concentrated_liquidity'
  | 'launch'
  | 'no_reserves'

/**
 * Reference that the executed price is compared with (semantics, section 1): the curve after the trade, the
 * reserves with the legs undone, the price before the trade, or nothing.
 */
export type ImpactReference = 'curve_after' | 'reserves_before' | 'price_before' | 'none'

export type Venue = {
  readonly dex: DexId
  /** Lowercase snake_case name of feeds, subjects and the `protocol` parameters. */
  readonly name: `venue_${DexId}`
  readonly kind: VenueKind
  readonly impactReference: ImpactReference
  /** Truncated toward zero (venues 1, 2), or to the nearest bp and never 0. */
  readonly impactRounding: 'truncate' | 'nearest'
  /** Unix ms from which impact is computed; absent: from the first swap on. */
  readonly impactFromMs?: number
}

/** The venue whose migrated pools report a SOL reserve that is short. */
export const CORRECTED_DEX: DexId = 2
/** Pools of it that migrated at or after this date do. */
export const MIGRATION_CORRECTION_FROM_MS = Date.UTC(2026, 6, 15)
/** By how much it is short, in lamports: 17.58 SOL. */
export const MIGRATION_CORRECTION_LAMPORTS = 17_580_000_000
/** From here the launch venue's agent program marks its trades (`agent_trade` 2) itself. */
export const AGENT_MARKING_FROM_MS = Date.UTC(2026, 4, 30)
/** `agent_trade` of a trade by the launch venue's own agent program. */
export const AGENT_TRADE = 2
/** A trade with a leg below this many base units is dust: it has no impact. For prices see `pricedTokensMin`. */
export const DUST_BASE_UNITS = 10_000

const venue = (
  dex: DexId,
  kind: VenueKind,
  impactReference: ImpactReference,
  impactRounding: Venue['impactRounding'],
): Venue => ({ dex, name: `venue_${dex}`, kind, impactReference, impactRounding })

export const VENUES: readonly Venue[] = [
  venue(1, 'bonding_curve', 'curve_after', 'truncate'),
  venue(2, 'constant_product', 'reserves_before', 'truncate'),
  venue(3, 'constant_product', 'reserves_before', 'nearest'),
  venue(4, 'concentrated_liquidity', 'price_before', 'nearest'),
  venue(5, 'constant_product', 'reserves_before', 'nearest'),
  venue(6, 'concentrated_liquidity', 'price_before', 'nearest'),
  venue(7, 'concentrated_liquidity', 'price_before', 'nearest'),
  venue(8, 'launch', 'none', 'nearest'),
  venue(9, 'concentrated_liquidity', 'price_before', 'nearest'),
  venue(10, 'no_reserves', 'none', 'nearest'),
]

/** The venue of a DexId. Throws RangeError outside 1..10: what comes in is checked at the edge. */
export function venueOf(dex: number): Venue {
  const found = VENUES[dex - 1]
  if (found === undefined) throw new RangeError(`unknown dex ${dex}: use 1 to 10`)
  return found
}

/** The DexId of a venue name, or undefined for a name that is none. */
export function dexOfName(name: string): DexId | undefined {
  return VENUES.find((candidate) => candidate.name === name)?.dex
}
