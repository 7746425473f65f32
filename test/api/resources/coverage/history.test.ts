/** From which slot on the figures of wallets, leaderboards, holders, tags and days are complete. */
import test, { type ExecutionContext } from 'ava'
import { addCoverage } from '../../../../deploy/chain/coverage.ts'
import { ALL_VENUE_BITS } from '../../../../domain/coverage.ts'
import { buy } from '../../../domain/ledger/histories.ts'
import { type ApiUnderTest, apiUnderTest } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { mint, pair, signatureOf, trader } from '../../../support/market/sample-swap.ts'
import { until } from '../../../support/workers/pipeline.ts'

const NOW_MS = Date.UTC(2026, 7, 20, 12)
const BOUND_MS = 60_000
const [WALLET, MINT] = [trader(1), mint(0)]
const timeOf = (slot: number): number => NOW_MS - 3_600_000 + slot * 400
const SWAPS = [100, 200, 300].map((slot, index) =>
  buy(1, 1_000_000, 1_000_000_000, {
    ...{ timestamp: timeOf(slot), slot, signature: signatureOf(index) },
    ...{ pairAddress: pair(0), tokenAddress: MINT, quoteDecimals: 6, user: WALLET },
  }),
)

/** Every route whose figures fold the history, with the property that holds its answer. */
const PATHS = [
  `/v2/pnl/wallets/${WALLET}`,
  `/v2/pnl/wallets/${WALLET}/highlights`,
  `/v2/pnl/wallets/${WALLET}/positions`,
  `/v2/pnl/wallets/${WALLET}/performance`,
  `/v2/pnl/wallets/${WALLET}/risk`,
  `/v2/pnl/wallets/${WALLET}/history`,
  `/v2/pnl/wallets/${WALLET}/calendar`,
  `/v2/pnl/wallets/${WALLET}/tokens`,
  `/v2/pnl/wallets/${WALLET}/positions/${MINT}/lots`,
  `/wallets/${WALLET}/chart`,
  `/wallets/${WALLET}/stats`,
  `/wallets/${WALLET}/holdings`,
  `/wallets/${WALLET}/tags`,
  `/stats/trader/${WALLET}`,
  '/stats/global',
  '/v2/pnl/leaderboard/top',
  '/v2/pnl/leaderboard/kols/calendar?from=2026-08-19&to=2026-08-20',
  `/v2/pnl/tokens/${MINT}/traders`,
  `/v2/pnl/tokens/${MINT}/first-buyers`,
  `/tokens/${MINT}/intel`,
  `/tokens/${MINT}/risk`,
  `/tokens/${MINT}/holders`,
  `/tokens/${MINT}/whales`,
  `/tokens/${MINT}/smart-money`,
]

const cover = (under: ApiUnderTest, from: number, to: number) =>
  addCoverage(
    under.db,
    { venues: ALL_VENUE_BITS, decoderVersion: 1, source: 'rpc', commitment: 'confirmed' },
    { from, to },
    [],
  )

async function market(t: ExecutionContext): Promise<ApiUnderTest> {
  const under = await apiUnderTest(t, { now: () => NOW_MS })
  await insertSwaps(under.db, SWAPS, { hasPrices: true })
  await insertLedger(under.db, [])
  return under
}

type History = { complete_since?: number; complete_since_timestamp?: number | null }

async function historyOf(under: ApiUnderTest, path: string): Promise<History> {
  const { status, body } = await under.get(path)
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
  const stated = (body.success === undefined ? body : body.data) as unknown as History
  const { complete_since, complete_since_timestamp } = stated
  return {
    ...(complete_since === undefined ? {} : { complete_since }),
    ...(complete_since_timestamp === undefined ? {} : { complete_since_timestamp }),
  }
}

test('every figure of a wallet, board, holder, tag and day states since when it is complete', async (t) => {
  const under = await market(t)
  await cover(under, 50, 120)
  await cover(under, 150, 300)
  for (const path of PATHS) {
    const expected = { complete_since: 150, complete_since_timestamp: timeOf(200) }
    t.deepEqual(await historyOf(under, path), expected, path)
  }
  const query = `{
    walletPnl(wallet: "${WALLET}") { complete_since complete_since_timestamp }
    tokenHolders(mint: "${MINT}") { complete_since }
    leaderboard { complete_since }
    walletTags(wallet: "${WALLET}") { complete_since } }`
  const response = await fetch(`${under.api.url}/graphql`, {
    method: 'POST',
    headers: { 'X-API-Key': under.key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  const answered = ((await response.json()) as Record<'data', Record<string, History>>).data
  t.deepEqual(
    Object.values(answered).map(({ complete_since }) => complete_since),
    [150, 150, 150, 150],
  )
  t.is(answered.walletPnl?.complete_since_timestamp, timeOf(200))
})

test('as of a slot it is by the slots up to it', async (t) => {
  const under = await market(t)
  await cover(under, 50, 120)
  await cover(under, 150, 250)
  await cover(under, 280, 400)
  for (const [slot, since, at] of [
    [300, 280, timeOf(300)],
    [290, 280, null],
    [270, 271, null],
    [250, 150, timeOf(200)],
    [149, 150, null],
    [110, 50, timeOf(100)],
    [60, 50, null],
    [40, 50, null],
  ] as const) {
    const expected = { complete_since: since, complete_since_timestamp: at }
    for (const path of [`/stats/trader/${WALLET}`, `/v2/pnl/wallets/${WALLET}/positions`]) {
      t.deepEqual(await historyOf(under, `${path}?as_of_slot=${slot}`), expected, `${slot} ${path}`)
    }
  }
})

test('no figure claims it where all swaps came as lines', async (t) => {
  const under = await market(t)
  for (const path of PATHS) t.deepEqual(await historyOf(under, path), {}, path)
})

test('it begins earlier once a gap is closed, and later once slots are read no more', async (t) => {
  const under = await market(t)
  const path = `/v2/pnl/wallets/${WALLET}/positions`
  const begins = (slot: number, at: number | null) =>
    until(`history begins at slot ${slot}`, BOUND_MS, async () => {
      const found = await historyOf(under, path)
      return found.complete_since === slot && found.complete_since_timestamp === at
    })
  await cover(under, 10, 120)
  await cover(under, 150, 400)
  await begins(150, timeOf(200))
  await cover(under, 121, 149)
  await begins(10, timeOf(100))
  await under.db.query('delete from coverage')
  await cover(under, 301, 400)
  await begins(301, null)
  t.pass()
})
