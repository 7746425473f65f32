/** /api/v1/top-movers against the naive model, by timeframe and venue; then refusals. */
import test from 'ava'
import { MOVER_TIMEFRAMES, WINDOW_MINUTES } from '../../../../domain/time/trade-window.ts'
import { VENUE_CHOICES, VENUES } from '../../../../domain/venue.ts'
import type { Model } from '../../../simulation/model.ts'
import { naiveMovers } from '../../../simulation/models/ranking-model.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { rankedMarket } from '../trending/market.ts'

const under = apiForFile()
let model: Model

test.serial.before(async () => {
  model = (await rankedMarket(under().db)).model
})

test('every timeframe and venue is a recomputation, on both sides', async (t) => {
  let found = 0
  for (const timeframe of MOVER_TIMEFRAMES) {
    for (const protocol of [undefined, ...VENUES.map(({ name }) => name)]) {
      const filter = protocol === undefined ? '' : `&protocol=${protocol}`
      const { body } = await under().get(
        `/api/v1/top-movers?timeframe=${timeframe}&limit=500${filter}`,
      )
      const expected = naiveMovers(model, WINDOW_MINUTES[timeframe], protocol)
      t.deepEqual(
        body as unknown,
        { success: true, data: { timeframe, protocol: protocol ?? 'all', ...expected } },
        `${timeframe} ${protocol}`,
      )
      found += expected.gainers.length + expected.losers.length
    }
  }
  t.true(found > 100, `${found} movers were compared`)
})

test('limit is of each side', async (t) => {
  const { gainers, losers } = naiveMovers(model, 1_440)
  const { body } = await under().get('/api/v1/top-movers?timeframe=24h&limit=1')
  t.deepEqual(body.data as unknown, {
    timeframe: '24h',
    protocol: 'all',
    gainers: gainers.slice(0, 1),
    losers: losers.slice(0, 1),
  })
})

test('refuses a missing or invalid timeframe, and values out of bounds', async (t) => {
  for (const [query, text] of [
    ['', `timeframe is required: use one of ${MOVER_TIMEFRAMES.join(' ')}`],
    ['timeframe=1m', `timeframe "1m": use one of ${MOVER_TIMEFRAMES.join(' ')}`],
    ['timeframe=1h&limit=0', 'limit "0": expected an integer of 1 to 500'],
    ['timeframe=1h&limit=501', 'limit "501": expected an integer of 1 to 500'],
    ['timeframe=1h&protocol=99', `protocol "99": use ${VENUE_CHOICES}`],
  ]) {
    const { status, body } = await under().get(`/api/v1/top-movers?${query}`)
    t.is(status, 400, query)
    t.deepEqual(body, { success: false, error: { code: 'INVALID_PARAM', message: text } } as never)
  }
})

test('answers 401 without a key', async (t) => {
  t.is((await under().call('/api/v1/top-movers?timeframe=1h')).status, 401)
})
