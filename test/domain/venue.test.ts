/** The table of venues: the properties of each, and the dates and sums that are law. */
import test from 'ava'
import {
  AGENT_MARKING_FROM_MS,
  AGENT_TRADE,
  DEX_MAX,
  DUST_BASE_UNITS,
  dexOfText,
  type ImpactReference,
  MIGRATION_CORRECTION_FROM_MS,
  MIGRATION_CORRECTION_LAMPORTS,
  shownVenue,
  VENUES,
  type VenueKind,
  venueOf,
  venueTitle,
} from '../../domain/venue.ts'

/** The reference of price impact by the kind of the venue. */
const REFERENCES: Readonly<Record<VenueKind, ImpactReference>> = {
  bonding_curve: 'curve_after',
  constant_product: 'reserves_before',
  concentrated_liquidity: 'price_before',
  launch: 'none',
  no_reserves: 'none',
}

test('each venue is measured by the reference of its kind', (t) => {
  for (const { dex, kind, impactReference } of VENUES) {
    t.is(impactReference, REFERENCES[kind], `venue ${dex}`)
  }
})

test('the shares of the simulated market sum to 1', (t) => {
  const shares = VENUES.map(({ simulated }) => simulated?.tradeShare ?? 0)
  t.true(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 1) < 1e-9)
})

test('the first ten venues are measured and rounded by the rules of docs/semantics.md', (t) => {
  const rules = VENUES.map((venue) => `${venue.dex} ${venue.impactReference}`)
  t.deepEqual(rules.slice(0, 10), [
    '1 curve_after',
    '2 reserves_before',
    '3 reserves_before',
    '4 price_before',
    '5 reserves_before',
    '6 price_before',
    '7 price_before',
    '8 none',
    '9 price_before',
    '10 none',
  ])
  const truncated = VENUES.filter((venue) => venue.impactRounding === 'truncate')
  t.deepEqual(
    truncated.map((venue) => venue.dex),
    [1, 2],
  )
  // By default every venue is computed from its first swap on.
  t.deepEqual(
    VENUES.filter((venue) => venue.impactFromMs !== undefined),
    [],
  )
})

test('dates and sums are those of docs/semantics.md', (t) => {
  t.is(new Date(MIGRATION_CORRECTION_FROM_MS).toISOString(), '2026-07-15T00:00:00.000Z')
  t.is(new Date(AGENT_MARKING_FROM_MS).toISOString(), '2026-05-30T00:00:00.000Z')
  t.is(MIGRATION_CORRECTION_LAMPORTS / 1e9, 17.58)
  t.is(AGENT_TRADE, 2)
  t.is(DUST_BASE_UNITS, 10_000)
})

test('a venue is found by number, by name and by the name of its program', (t) => {
  for (const venue of VENUES) {
    t.is(venueOf(venue.dex), venue)
    t.is(venue.name, `venue_${venue.dex}`)
    for (const text of [String(venue.dex), venue.name, venue.programName]) {
      t.is(dexOfText(text), venue.dex, text)
    }
    t.is(shownVenue(venue.dex, 'ids'), venue.name)
    t.is(shownVenue(venue.dex, 'programs'), venue.programName)
  }
  for (const dex of [0, DEX_MAX + 1, -1, 1.5, Number.NaN]) {
    t.throws(() => venueOf(dex), { instanceOf: RangeError }, `${dex}`)
  }
  for (const name of [
    'venue_0',
    `venue_${DEX_MAX + 1}`,
    'Venue_1',
    '0',
    String(DEX_MAX + 1),
    '01',
    'Orca',
    '',
  ]) {
    t.is(dexOfText(name), undefined, name)
  }
})

test('people see the title of a venue, however it is named', (t) => {
  for (const { dex, name, programName, title } of VENUES) {
    for (const venue of [dex, String(dex), name, programName]) t.is(venueTitle(venue), title)
    t.notRegex(title, /_/)
  }
  t.is(venueTitle('venue_4'), 'Raydium CLMM')
  t.is(new Set(VENUES.map(({ title }) => title)).size, VENUES.length)
  for (const unknown of ['', 'venue_0', 'Orca', 'constructor']) t.is(venueTitle(unknown), unknown)
})
