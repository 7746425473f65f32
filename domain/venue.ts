/**
 * The table of venues, the only place where venues differ: ids, names, programs, mechanics, how price impact is
 * measured, and the dates from which a rule holds. A new venue is a row of VENUE_TABLE; parameters, schemas, subjects,
 * descriptions and the table `venue` of the database follow from it.
 */
import type { Int64 } from './amount.ts'

export type VenueKind =
  | 'bonding_curve'
  | 'constant_product'
  | 'concentrated_liquidity'
  | 'launch'
  | 'no_reserves'

/**
 * Reference that the executed price is compared with (docs/semantics.md#price-impact): the curve after the
 * trade, the reserves with the legs undone, the price before the trade, or none.
 */
export type ImpactReference = 'curve_after' | 'reserves_before' | 'price_before' | 'none'

/**
 * SOL that pools of a venue hold and do not report if they migrated from a curve at or after a date. A swap that states
 * the amount itself (`virtual_quote_reserves`) takes precedence over both.
 */
type UnreportedSol = { readonly migratedFromMs: number; readonly lamports: number }

/**
 * The formula by which a venue computes the legs of a trade from its reserves (domain/market/curve.ts).
 * `bonding_curve`: virtual reserves, no fee in the leg. `fee_on_sol`: the fee that the swap states is taken from the SOL leg.
 * `fee_on_input`: a fee in parts of a million is taken from what the trader pays in, at one of `ratesPpm`, or at the rate that the
 * swap states where `statesRate` and it is not 0.
 */
export type Pricing =
  | { readonly formula: 'bonding_curve' | 'fee_on_sol' }
  | {
      readonly formula: 'fee_on_input'
      readonly ratesPpm: readonly number[]
      readonly statesRate: boolean
    }

/**
 * Fees that a trader pays in SOL outside the legs: those that the swap states (`fee_bps`, `creator_fee_bps`), or fees whose rates some
 * sources state (`outside_protocol_bps`, `outside_creator_bps`), and which a reader assumes elsewhere.
 */
type OutsideFees = 'stated' | 'assumed'

/** Name of the setting by which a request assumes them: of the only venue whose fees not every swap states. */
export const ASSUMED_FEES = 'venue_2_outside_bps'

type VenueRow = {
  readonly dex: number
  /** Lowercase snake_case name in feeds, subjects and the `protocol` parameters. */
  readonly name: string
  /** Name of its program, lowercase snake_case: parameters accept it, and answers carry it if an installation wants. */
  readonly programName: string
  /** Name of its program as people write it, for pages. */
  readonly title: string
  /** Address of its program on the chain, base58. */
  readonly program: string
  readonly kind: VenueKind
  readonly impactReference: ImpactReference
  /** Truncated toward zero, or rounded to the nearest bp and never 0. */
  readonly impactRounding: 'truncate' | 'nearest'
  /** Unix ms from which impact is computed; absent: from the first swap on. */
  readonly impactFromMs?: number
  /** SOL outside the reported account. Such a venue remembers a migration: a `migrated` event that names a curve. */
  readonly unreportedSol?: UnreportedSol
  /**
   * Unix ms from which the venue's agent program marks its trades (AGENT_TRADE). An earlier trade without any fee is an
   * agent trade. Absent: the venue has no agent program.
   */
  readonly agentMarksFromMs?: number
  /** Some of its calls name the pool and its vaults, and no mint. */
  readonly hasCallsWithoutMint?: true
  /** Absent: what a trade gets does not follow from the fields of a swap. */
  readonly pricing?: Pricing
  /** Absent: every fee is inside the legs. */
  readonly outsideFees?: OutsideFees
  /** Absent: no part of the simulated market. */
  readonly simulated?: SimulatedPart
}

/** A venue's part in the simulated market. The shares of all venues sum to 1. */
export type SimulatedPart = {
  readonly tradeShare: number
  readonly poolsMax: number
  readonly poolsAtStart: number
}

/** Venue 2 pools that migrated at or after this date report a SOL reserve that is short. */
export const MIGRATION_CORRECTION_FROM_MS = Date.UTC(2026, 6, 15)
/** The SOL that they do not report, in lamports: 17.58 SOL. */
export const MIGRATION_CORRECTION_LAMPORTS = 17_580_000_000
/** The launch venue's agent program marks its trades (`agent_trade` 2) from this date on. */
export const AGENT_MARKING_FROM_MS = Date.UTC(2026, 4, 30)
/** `agent_trade` of a trade by the launch venue's own agent program. */
export const AGENT_TRADE = 2
/** A trade with a leg below this many base units is dust and has no impact. For prices see `pricedTokensMin`. */
export const DUST_BASE_UNITS = 10_000

/** Parts of a million that pools of venue 3 take. */
const VENUE_3_RATE_PPM = 2_500
/** Parts of a million that pools of venue 5 may take. */
const VENUE_5_RATES_PPM = [
  100, 500, 1_000, 2_500, 3_000, 4_000, 5_000, 10_000, 15_000, 20_000, 25_000, 30_000, 40_000,
] as const

/** The rows that differ from each other by id and name only. */
const RESERVES = {
  kind: 'constant_product',
  impactReference: 'reserves_before',
  impactRounding: 'nearest',
} as const
const CONCENTRATED = {
  kind: 'concentrated_liquidity',
  impactReference: 'price_before',
  impactRounding: 'nearest',
} as const
const UNMEASURED = { impactReference: 'none', impactRounding: 'nearest' } as const

const VENUE_TABLE = [
  {
    dex: 1,
    name: 'venue_1',
    programName: 'pumpfun',
    title: 'Pump.fun',
    program: '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P',
    kind: 'bonding_curve',
    impactReference: 'curve_after',
    impactRounding: 'truncate',
    pricing: { formula: 'bonding_curve' },
    outsideFees: 'stated',
    agentMarksFromMs: AGENT_MARKING_FROM_MS,
    simulated: { tradeShare: 0.3, poolsMax: 80, poolsAtStart: 16 },
  },
  {
    dex: 2,
    name: 'venue_2',
    programName: 'pumpswap',
    title: 'PumpSwap',
    program: 'pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA',
    ...RESERVES,
    impactRounding: 'truncate',
    pricing: { formula: 'fee_on_sol' },
    outsideFees: 'assumed',
    unreportedSol: {
      migratedFromMs: MIGRATION_CORRECTION_FROM_MS,
      lamports: MIGRATION_CORRECTION_LAMPORTS,
    },
    simulated: { tradeShare: 0.22, poolsMax: 60, poolsAtStart: 12 },
  },
  {
    dex: 3,
    name: 'venue_3',
    programName: 'raydium_amm',
    title: 'Raydium AMM',
    program: '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8',
    ...RESERVES,
    hasCallsWithoutMint: true,
    pricing: { formula: 'fee_on_input', ratesPpm: [VENUE_3_RATE_PPM], statesRate: false },
    simulated: { tradeShare: 0.1, poolsMax: 30, poolsAtStart: 14 },
  },
  {
    dex: 4,
    name: 'venue_4',
    programName: 'raydium_clmm',
    title: 'Raydium CLMM',
    program: 'CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK',
    ...CONCENTRATED,
    hasCallsWithoutMint: true,
    simulated: { tradeShare: 0.08, poolsMax: 30, poolsAtStart: 12 },
  },
  {
    dex: 5,
    name: 'venue_5',
    programName: 'raydium_cpmm',
    title: 'Raydium CPMM',
    program: 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C',
    ...RESERVES,
    pricing: { formula: 'fee_on_input', ratesPpm: VENUE_5_RATES_PPM, statesRate: true },
    simulated: { tradeShare: 0.07, poolsMax: 30, poolsAtStart: 10 },
  },
  {
    dex: 6,
    name: 'venue_6',
    programName: 'orca',
    title: 'Orca',
    program: 'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc',
    ...CONCENTRATED,
    hasCallsWithoutMint: true,
    simulated: { tradeShare: 0.06, poolsMax: 30, poolsAtStart: 10 },
  },
  {
    dex: 7,
    name: 'venue_7',
    programName: 'meteora_damm_v2',
    title: 'Meteora DAMM v2',
    program: 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG',
    ...CONCENTRATED,
    simulated: { tradeShare: 0.05, poolsMax: 30, poolsAtStart: 8 },
  },
  {
    dex: 8,
    name: 'venue_8',
    programName: 'meteora_dbc',
    title: 'Meteora DBC',
    program: 'dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN',
    kind: 'launch',
    ...UNMEASURED,
    outsideFees: 'stated',
    simulated: { tradeShare: 0.06, poolsMax: 30, poolsAtStart: 8 },
  },
  {
    dex: 9,
    name: 'venue_9',
    programName: 'meteora_dlmm',
    title: 'Meteora DLMM',
    program: 'LBUZKhRxPF3XUpBCjp4YzTKgLccjZhTSDM9YuVaPwxo',
    ...CONCENTRATED,
    simulated: { tradeShare: 0.03, poolsMax: 30, poolsAtStart: 8 },
  },
  {
    dex: 10,
    name: 'venue_10',
    programName: 'meteora_pools',
    title: 'Meteora Pools',
    program: 'Eo7WjKq67rjJQSZxS6z3YkapzY3eMj6Xy8X5EQVn5UaB',
    kind: 'no_reserves',
    ...UNMEASURED,
    hasCallsWithoutMint: true,
    simulated: { tradeShare: 0.03, poolsMax: 30, poolsAtStart: 8 },
  },
] as const satisfies readonly VenueRow[]

/** Venue integer of the interface. Ids count from 1 without a gap. */
export type DexId = (typeof VENUE_TABLE)[number]['dex']
type VenueName = (typeof VENUE_TABLE)[number]['name']
export type Venue = VenueRow & { readonly dex: DexId; readonly name: VenueName }

export const VENUES: readonly Venue[] = VENUE_TABLE
export const VENUE_NAMES: readonly VenueName[] = VENUES.map(({ name }) => name)
export const VENUE_KINDS: readonly VenueKind[] = [...new Set(VENUES.map(({ kind }) => kind))]
/** Least and greatest id of a venue. */
export const DEX_MIN = 1
export const DEX_MAX = VENUES.length
/** Texts that a client may write for a venue: its id, its name, or the name of its program. */
export const VENUE_TEXTS: readonly string[] = VENUES.flatMap(({ dex, name, programName }) => [
  String(dex),
  name,
  programName,
])
/** For descriptions: `venue_1 to venue_10`. */
export const VENUE_RANGE = `${VENUES[0]?.name} to ${VENUES.at(-1)?.name}`

/** For errors: what VENUE_TEXTS are. */
export const VENUE_CHOICES = `${DEX_MIN} to ${DEX_MAX}, ${VENUE_RANGE}, or one of ${VENUES.map(
  ({ programName }) => programName,
).join(' ')}`

/** Venues by id, undefined at 0: for hot paths. */
const BY_DEX: readonly (Venue | undefined)[] = [undefined, ...VENUES]
const BY_TEXT: ReadonlyMap<string, DexId> = new Map(
  VENUES.flatMap(({ dex, name, programName }) => [
    [String(dex), dex],
    [name, dex],
    [programName, dex],
  ]),
)

/** The venue of an id. Throws RangeError for an unknown id: ids are checked where events enter. */
export function venueOf(dex: number): Venue {
  const found = BY_DEX[dex]
  if (found === undefined) throw new RangeError(`unknown dex ${dex}: use ${DEX_MIN} to ${DEX_MAX}`)
  return found
}

/** The venue of one of VENUE_TEXTS; undefined for any other text. */
export function dexOfText(text: string): DexId | undefined {
  return BY_TEXT.get(text)
}

const BY_PROGRAM: ReadonlyMap<string, DexId> = new Map(
  VENUES.map(({ program, dex }) => [program, dex]),
)

/** The venue of a program's base58 text. */
export function dexOfProgram(program: string): DexId | undefined {
  return BY_PROGRAM.get(program)
}

export const VENUE_NAMINGS = ['ids', 'programs'] as const
/** How answers name venues: `venue_1`, or by the program. */
export type VenueNaming = (typeof VENUE_NAMINGS)[number]

/** The name of a venue in answers. Throws RangeError for an unknown id. */
export function shownVenue(dex: number, naming: VenueNaming): string {
  const { name, programName } = venueOf(dex)
  return naming === 'ids' ? name : programName
}

/** Title of a venue by its id or one of VENUE_TEXTS; any other text as it is. */
export function venueTitle(venue: number | string): string {
  const text = String(venue)
  const dex = BY_TEXT.get(text)
  return dex === undefined ? text : venueOf(dex).title
}

/** Whether pools of a venue report their reserves. */
export function reportsReserves(dex: number): boolean {
  return venueOf(dex).kind !== 'no_reserves'
}

/**
 * Lamports that a pool holds in addition to its reported SOL reserve. On a venue with such pools: what the swap states, else the
 * venue's constant if the pool migrated since its date; 0 in every other case.
 */
export function unreportedLamports(
  dex: number,
  migratedAtMs: number | null | undefined,
  stated: Int64 | null | undefined,
): Int64 {
  const unreported = BY_DEX[dex]?.unreportedSol
  if (unreported === undefined) return 0
  if (stated !== undefined && stated !== null) return stated
  if (migratedAtMs === undefined || migratedAtMs === null) return 0
  return migratedAtMs >= unreported.migratedFromMs ? unreported.lamports : 0
}
