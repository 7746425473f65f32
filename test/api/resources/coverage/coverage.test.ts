/** Coverage by REST and GraphQL, and the gaps that stats and charts report. */
import test, { type ExecutionContext } from 'ava'
import { addCoverage } from '../../../../deploy/chain/coverage.ts'
import { venueBits } from '../../../../domain/coverage.ts'
import { VENUES, type Venue } from '../../../../domain/venue.ts'
import type { Db } from '../../../../sql/db.ts'
import { buy } from '../../../domain/ledger/histories.ts'
import { type ApiUnderTest, apiUnderTest } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { mint, pair, signatureOf, trader } from '../../../support/market/sample-swap.ts'

const HOUR_MS = 3_600_000
const NOW_MS = Date.UTC(2026, 7, 20, 12)
const WALLET = trader(1)
const [FIRST, SECOND] = VENUES as readonly [Venue, Venue]

/** One swap in each of these slots: slot 1,000 at 60 hours ago, and 10 hours every 100 slots. */
const timeOf = (slot: number): number => NOW_MS - 60 * HOUR_MS + (slot - 1_000) * (HOUR_MS / 10)
const SWAPS = [1_000, 1_100, 1_200, 1_300, 1_500, 1_599].map((slot, index) =>
  buy(1, 1_000_000, 1_000_000_000, {
    ...{ timestamp: timeOf(slot), slot, signature: signatureOf(index) },
    ...{ pairAddress: pair(0), tokenAddress: mint(0), quoteDecimals: 6, user: WALLET },
  }),
)

function cover(db: Db, venues: readonly Venue[], from: number, to: number, swaps = 0) {
  const key = { venues: venueBits(venues.map(({ dex }) => dex)), decoderVersion: 1 }
  const counted = swaps === 0 ? [] : [{ slot: from, blockhash: `${from}`, swaps }]
  const run = { ...key, source: 'rpc', commitment: 'confirmed' }
  return addCoverage(db, run, { from, to }, counted)
}

async function apiWithSwaps(t: ExecutionContext): Promise<ApiUnderTest> {
  const under = await apiUnderTest(t, { now: () => NOW_MS })
  await insertSwaps(under.db, SWAPS, { hasPrices: true })
  await insertLedger(under.db, [])
  return under
}

const gapsOf = async (under: ApiUnderTest, path: string): Promise<unknown> => {
  const { status, body } = await under.get(path)
  if (status !== 200) throw new Error(`${path}: ${status}`)
  const answer = path.startsWith('/api') ? (body.data as unknown as typeof body) : body
  return answer.coverage_gaps
}

const gap = (
  venues: readonly Venue[],
  from: number,
  to: number,
  before: number,
  after: number,
) => ({
  ...{ venues: venues.map(({ name }) => name), from_slot: from, to_slot: to },
  ...{ from_timestamp: timeOf(before), to_timestamp: timeOf(after) },
})

test('lists ranges and gaps by venue, the same by GraphQL', async (t) => {
  const { db, get, api, key } = await apiUnderTest(t)
  await cover(db, [FIRST, SECOND], 10, 19, 7)
  await cover(db, [FIRST, SECOND], 40, 49)
  await cover(db, [FIRST], 20, 29)
  const range = { decoder_version: 1, source: 'rpc', commitment: 'confirmed' }
  const both = [FIRST.name, SECOND.name]
  const expected = {
    ranges: [
      { venues: both, from_slot: 10, to_slot: 19, swaps: 7, ...range },
      { venues: [FIRST.name], from_slot: 20, to_slot: 29, swaps: 0, ...range },
      { venues: both, from_slot: 40, to_slot: 49, swaps: 0, ...range },
    ],
    gaps: [
      { venues: [SECOND.name], from_slot: 20, to_slot: 39 },
      { venues: [FIRST.name], from_slot: 30, to_slot: 39 },
    ],
    complete_since: 40,
    complete_since_timestamp: null,
  }
  const { status, body } = await get('/api/v1/coverage')
  t.is(status, 200)
  t.deepEqual(body.data as unknown, expected)
  const query = `{ coverage {
    ranges { venues from_slot to_slot swaps decoder_version source commitment }
    gaps { venues from_slot to_slot } complete_since complete_since_timestamp } }`
  const response = await fetch(`${api.url}/graphql`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  t.deepEqual(await response.json(), { data: { coverage: expected } })
})

test('where no slot was read from the chain, lists are empty and no answer claims a gap', async (t) => {
  const under = await apiWithSwaps(t)
  const { body } = await under.get('/api/v1/coverage')
  t.deepEqual(body.data as unknown, { ranges: [], gaps: [] })
  t.is(await gapsOf(under, '/api/v1/stats'), undefined)
  t.is(await gapsOf(under, `/wallets/${WALLET}/chart`), undefined)
})

test('stats report the gaps in 24 hours, a chart those since the first trade of its wallet', async (t) => {
  const under = await apiWithSwaps(t)
  const all = [FIRST, SECOND]
  // A gap before the first trade, one before the 24 hours, and one of one venue that reaches into them.
  await cover(under.db, all, 900, 949)
  await cover(under.db, all, 980, 1_149)
  await cover(under.db, all, 1_200, 1_319)
  await cover(under.db, [FIRST], 1_320, 1_479)
  await cover(under.db, all, 1_480, 1_599)
  const old = gap(all, 1_150, 1_199, 1_100, 1_200)
  const late = gap([SECOND], 1_320, 1_479, 1_300, 1_500)
  t.deepEqual(await gapsOf(under, '/api/v1/stats'), [late])
  t.deepEqual(await gapsOf(under, `/wallets/${WALLET}/chart`), [old, late])
  t.deepEqual(await gapsOf(under, `/wallets/${trader(2)}/chart`), [])
})

test('coverage states since when it is complete, from the ranges of the same answer', async (t) => {
  const under = await apiWithSwaps(t)
  const all = [FIRST, SECOND]
  await cover(under.db, all, 1_000, 1_149)
  await cover(under.db, all, 1_200, 1_319)
  await cover(under.db, [FIRST], 1_320, 1_599)
  const { body } = await under.get('/api/v1/coverage')
  t.like(body.data as unknown as object, {
    complete_since: 1_200,
    complete_since_timestamp: timeOf(1_200),
  })
})

test('a gap with no indexed swap after it counts in every range', async (t) => {
  const under = await apiWithSwaps(t)
  await cover(under.db, [FIRST], 1_000, 1_599)
  await cover(under.db, [FIRST], 1_700, 1_700)
  const open = { ...gap([FIRST], 1_600, 1_699, 1_599, 0), to_timestamp: null }
  t.deepEqual(await gapsOf(under, '/api/v1/stats'), [open])
})

test('leaves out none of more than 100 gaps: the oldest are one that spans them', async (t) => {
  const under = await apiWithSwaps(t)
  await cover(under.db, [FIRST], 1_000, 1_599)
  // A hole of one venue that begins early and reaches into the 24 hours, with 124 younger ones that ended before.
  await cover(under.db, [SECOND], 1_000, 1_000)
  await cover(under.db, [SECOND], 1_590, 1_599)
  const [, , THIRD] = VENUES as readonly Venue[]
  if (THIRD === undefined) throw new Error('expected three venues')
  for (let slot = 1_050; slot <= 1_298; slot += 2) await cover(under.db, [THIRD], slot, slot)
  const wide = gap([SECOND], 1_001, 1_589, 1_000, 1_599)
  t.deepEqual(await gapsOf(under, '/api/v1/stats'), [wide])
  const shown = (await gapsOf(under, `/wallets/${WALLET}/chart`)) as { venues: string[] }[]
  t.is(shown.length, 100)
  t.like(shown[0], { from_slot: 1_001, venues: [SECOND.name] })
  // Holes of a slot each, of which the oldest 26 are one.
  t.like(shown[1], { from_slot: 1_051, to_slot: 1_101, venues: [THIRD.name] })
  t.like(shown[2], { from_slot: 1_103, to_slot: 1_103 })
})
