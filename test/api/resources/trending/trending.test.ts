/** /trending against the naive model, over windows, sectors, slices; then refusals. */
import test from 'ava'
import { TREND_WINDOWS } from '../../../../domain/ranking.ts'
import { WINDOW_MINUTES, WINDOW_NAMES } from '../../../../domain/time/trade-window.ts'
import type { Model } from '../../../simulation/model.ts'
import { naiveTokenPrice } from '../../../simulation/models/price-model.ts'
import { naiveTrending } from '../../../simulation/models/ranking-model.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { mint } from '../../../support/market/sample-swap.ts'
import { asker } from '../../graphql/send-query.ts'
import { rankedMarket } from './market.ts'

const RATE = 150
const under = apiForFile({ solUsdFallback: RATE })
let model: Model

test.serial.before(async () => {
  model = (await rankedMarket(under().db)).model
})

type Result = {
  mint: string
  change_pct: number | null
  liquidity_usd: number | null
  price_usd: number | null
  volume_usd: number
  trending_score?: number
  formula_breakdown?: Record<string, number | null>
  change_pct_by_window?: Record<string, number | null>
}
type Trending = { results: Result[]; total: number } & Record<string, unknown>

const call = async (query: string): Promise<Trending> => {
  const answer = await under().get(`/trending?${query}`)
  return answer.body as unknown as Trending
}

const near = (value: number | null): number | null =>
  value === null ? null : Number(value.toPrecision(12)) + 0

test('every window is the order of a recomputation, part by part', async (t) => {
  for (const window of TREND_WINDOWS) {
    const all = naiveTrending(model, WINDOW_MINUTES[window])
    const body = await call(`window=${window}&include_score=true&include_rugged=1&limit=200`)
    t.deepEqual(
      body.results.map((each) => [
        each.mint,
        near(each.trending_score ?? null),
        near(each.change_pct),
        near(each.volume_usd),
        ...Object.values(each.formula_breakdown ?? {}).map(near),
      ]),
      all.map((each) => [
        each.mint,
        near(each.score),
        near(each.changePct),
        near(each.volumeSol * RATE),
        ...each.parts.map(near),
      ]),
      window,
    )
    t.is(body.total, all.length)
  }
})

test('the market contains all cases', (t) => {
  const day = naiveTrending(model, 1_440)
  t.true(day.some(({ isRugged }) => isRugged))
  t.true(day.some(({ changePct }) => changePct === null))
  t.true(day.some(({ parts }) => parts[4]! > 0))
  t.true(day.some(({ parts }) => (parts[5] ?? 0) !== 0))
  t.true(day.some(({ parts }) => parts[2] === 2.5))
})

test('excludes tokens that fell by 90 % unless requested', async (t) => {
  const all = naiveTrending(model, 1_440)
  const rest = all.filter(({ isRugged }) => !isRugged)
  const without = await call('window=24h&limit=200')
  t.deepEqual(
    without.results.map((each) => each.mint),
    rest.map((each) => each.mint),
  )
  t.is(without.total, rest.length)
  t.true(rest.length < all.length)
})

test('a sector has a separate order, an unknown one is empty', async (t) => {
  const all = naiveTrending(model, 1_440).filter(({ sector }) => sector === 'meme')
  const meme = await call('window=24h&sector=meme&include_rugged=true')
  t.is(meme.sector, 'meme')
  t.deepEqual(
    meme.results.map((each) => each.mint),
    all.map((each) => each.mint),
  )
  t.is(meme.total, all.length)
  t.true(all.length > 0)
  const nothing = await call('sector=none-such')
  t.deepEqual([nothing.results, nothing.total, nothing.sector], [[], 0, 'none-such'])
})

test('a slice reports the total, and one after the end is empty', async (t) => {
  const all = naiveTrending(model, 60).filter(({ isRugged }) => !isRugged)
  const slice = await call('limit=3&offset=2')
  t.deepEqual([slice.window, slice.limit, slice.offset, slice.total], ['1h', 3, 2, all.length])
  t.deepEqual(
    slice.results.map((each) => each.mint),
    all.slice(2, 5).map((each) => each.mint),
  )
  t.deepEqual((await call('limit=200&offset=200')).results, [])
})

test('further windows include their changes, the score only on request', async (t) => {
  const body = await call('window=24h&extra_windows=5m,1h,24h&limit=200&include_rugged=1')
  for (const [index, each] of naiveTrending(model, 1_440).entries()) {
    const result = body.results[index]!
    const changeIn = (minutes: number): number | null =>
      naiveTrending(model, minutes).find((of) => of.mint === each.mint)?.changePct ?? null
    t.deepEqual(
      Object.entries(result.change_pct_by_window ?? {}).map(([name, value]) => [name, near(value)]),
      [
        ['5m', near(changeIn(5))],
        ['1h', near(changeIn(60))],
        ['24h', near(changeIn(1_440))],
      ],
    )
    t.false('trending_score' in result)
    t.false('formula_breakdown' in result)
  }
  const plain = await call('window=24h')
  t.false('change_pct_by_window' in plain.results[0]!)
})

test('GraphQL returns the same, and no further fields without a request', async (t) => {
  const { send: query } = await asker(under())
  const fields = 'results { mint trending_score change_pct_by_window { key value } }'
  const { data, errors } = await query(
    `{ plain: trending(window: "24h") { ${fields} }
       further: trending(window: "24h", extra_windows: ["5m", "1h"], include_score: true) { ${fields} } }`,
  )
  t.is(errors, undefined)
  const shown = ({ results }: Trending) =>
    results.map(({ mint: of, trending_score: score = null, change_pct_by_window: changes }) => ({
      mint: of,
      trending_score: score,
      change_pct_by_window:
        changes === undefined
          ? null
          : Object.entries(changes).map(([name, value]) => ({ key: name, value })),
    }))
  const plain = shown(await call('window=24h'))
  t.true(plain.length > 5)
  t.deepEqual(data?.plain, { results: plain })
  const further = shown(await call('window=24h&extra_windows=5m,1h&include_score=1'))
  t.deepEqual(data?.further, { results: further })
})

test('accepts a sector as long as a token line allows', async (t) => {
  const longest = 's'.repeat(200)
  t.is((await call(`sector=${longest}`)).sector, longest)
  t.is((await under().get(`/trending?sector=${longest}s`)).status, 400)
})

test('dollars are of the top pool and the rate of now', async (t) => {
  const swaps = [...model.swaps.values()].map(({ swap }) => swap)
  const { results } = await call('window=24h&limit=200&include_rugged=1')
  for (const result of results) {
    const top = naiveTokenPrice(swaps, result.mint)
    t.is(result.price_usd, top === undefined ? null : top.price * RATE)
    const { rows } = await under().db.query<{ reserves: string; dex: number }>(
      'select last_sol_reserves::text as reserves, dex from pool where pair_address = $1',
      [top?.pair ?? ''],
    )
    const [pool] = rows
    const expected =
      pool === undefined ? null : pool.dex === 10 ? 0 : (Number(pool.reserves) * 2 * RATE) / 1e9
    t.is(near(result.liquidity_usd), near(expected))
  }
  const dust = results.find((each) => each.mint === mint(1))
  t.deepEqual([dust?.price_usd, dust?.liquidity_usd, dust?.change_pct], [null, null, null])
})

test('refuses a parameter that is out of bounds by name', async (t) => {
  for (const [query, text] of [
    ['window=2h', `window "2h": use one of ${WINDOW_NAMES.join(' ')}`],
    ['limit=0', 'limit "0": expected an integer of 1 to 200'],
    ['limit=201', 'limit "201": expected an integer of 1 to 200'],
    ['offset=201', 'offset "201": expected an integer of 0 to 200'],
    ['offset=-1', 'offset "-1": expected an integer of 0 to 200'],
    ['include_score=yes', 'include_score "yes": use one of true false 1 0'],
    ['extra_windows=1m,5m,15m,1h', 'extra_windows: expected 1 to 3 values, not 4'],
    ['extra_windows=5m,2h', `extra_windows "2h": use one of ${WINDOW_NAMES.join(' ')}`],
  ]) {
    const { status, body } = await under().get(`/trending?${query}`)
    t.is(status, 400, query)
    t.deepEqual(body, { success: false, error: { code: 'INVALID_PARAM', message: text } } as never)
  }
})

test('answers 401 without a key', async (t) => {
  t.is((await under().call('/trending')).status, 401)
})
