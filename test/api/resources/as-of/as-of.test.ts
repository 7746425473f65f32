/** `as_of_slot` and `as_of_time`: the moment that they mean, the field `as_of`, and refusals. */
import test from 'ava'
import { withVenueNames } from '../../../../api/routing/route.ts'
import { declaredRoutes } from '../../../../api/served-text.ts'
import { apiForFile, apiUnderTest } from '../../../support/api/api-under-test.ts'
import { insertEvents, insertSwaps } from '../../../support/api/insert-swaps.ts'
import {
  mint,
  mintOfPair,
  pair,
  sampleSwap,
  signatureOf,
  trader,
} from '../../../support/market/sample-swap.ts'
import { asker } from '../../graphql/send-query.ts'

const under = apiForFile()
const FIRST_MS = Date.UTC(2026, 6, 20)
const FIRST_SLOT = 9_990
const SWAPS = 30
/** Slots of a second: the time of the fifth swap is later than that of the sixth. */
const timeOf = (n: number): number => FIRST_MS + 1_000 * (n === 4 ? 6.5 : n)
const slotOf = (n: number): number => FIRST_SLOT + 10 * n
const NEWEST = slotOf(SWAPS - 1)

const swaps = Array.from({ length: SWAPS }, (_, n) =>
  sampleSwap({
    signature: signatureOf(n),
    slot: slotOf(n),
    timestamp: timeOf(n),
    user: trader(n % 2),
  }),
)

test.serial.before(async () => {
  const { db } = under()
  await insertSwaps(db, swaps)
  await insertEvents(db, [
    {
      ...{ event: 'created', signature: signatureOf(900), slot: slotOf(3), timestamp: timeOf(3) },
      ...{
        pairAddress: pair(90),
        tokenAddress: mintOfPair(90),
        dex: 2,
        blockTxIndex: 0,
        ixIndex: 0,
      },
    },
  ])
})

type AsOf = { slot: number; timestamp: number | null; cursor: string | null; settled: boolean }

const asOfIn = async (query: string) =>
  (await under().get(`/swaps?limit=1&${query}`)).body.as_of as AsOf
const messageOf = async (path: string) => {
  const { status, body } = await under().get(path)
  return `${status} ${body.message ?? (body.error as { message: string }).message}`
}

test('an answer states its slot, the latest time up to it, and what was not read', async (t) => {
  t.deepEqual(await asOfIn(`as_of_slot=${slotOf(5) + 3}`), {
    ...{ slot: slotOf(5) + 3, timestamp: timeOf(4), cursor: null, settled: false },
    coverage_gaps: [],
  } as AsOf)
  const { body } = await under().get('/swaps?limit=1')
  t.false('as_of' in body)
})

test('the latest time up to each slot is that of the stored swaps', async (t) => {
  for (let n = 0; n < SWAPS; n++) {
    const latest = Math.max(...swaps.slice(0, n + 1).map(({ timestamp }) => timestamp))
    t.is((await asOfIn(`as_of_slot=${slotOf(n)}`)).timestamp, latest)
    if (n > 0) t.is((await asOfIn(`as_of_slot=${slotOf(n) - 1}`)).slot, slotOf(n) - 1)
  }
})

test('a time means the last slot before the first swap that is later', async (t) => {
  const slotAt = async (ms: number | string) => (await asOfIn(`as_of_time=${ms}`)).slot
  t.is(await slotAt(timeOf(2)), slotOf(3) - 1)
  t.is(await slotAt(timeOf(2) - 1), slotOf(2) - 1)
  // The fifth swap is later, although the sixth, after it, is not.
  t.is(await slotAt(timeOf(5)), slotOf(4) - 1)
  t.is(await slotAt(FIRST_MS - 1), FIRST_SLOT - 1)
  t.is(await slotAt(timeOf(SWAPS - 1)), NEWEST)
  t.is(await slotAt(new Date(timeOf(2)).toISOString()), slotOf(3) - 1)
})

test('a slot below the first swap has an empty answer, the newest one that of now', async (t) => {
  const { status, body } = await under().get(`/swaps?as_of_slot=${FIRST_SLOT - 1}`)
  t.is(status, 200)
  t.deepEqual(body.data, [])
  t.is((body.as_of as AsOf).timestamp, null)
  const [past, now] = await Promise.all([
    under().get(`/swaps?as_of_slot=${NEWEST}`),
    under().get('/swaps'),
  ])
  t.deepEqual({ ...past.body, as_of: undefined }, { ...now.body, as_of: undefined })
})

test('a list pages within its moment, whatever the order', async (t) => {
  for (const order of ['asc', 'desc']) {
    const rows: unknown[] = []
    let cursor = ''
    do {
      const path = `/swaps/trader/${trader(0)}?limit=2&order=${order}&as_of_slot=${slotOf(9)}${cursor}`
      const { body } = await under().get(path)
      rows.push(...body.data.map(({ slot }) => slot))
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
    } while (cursor !== '')
    const expected = [0, 2, 4, 6, 8].map(slotOf)
    t.deepEqual(rows, order === 'asc' ? expected : expected.toReversed())
  }
})

test('a transaction and a pool event above the slot are not known', async (t) => {
  const signature = signatureOf(7)
  t.is((await under().get(`/swaps/${signature}?as_of_slot=${slotOf(7)}`)).status, 200)
  t.is((await under().get(`/swaps/${signature}?as_of_slot=${slotOf(7) - 1}`)).status, 404)
  const events = async (slot: number) =>
    (await under().get(`/pool-events?as_of_slot=${slot}`)).body.data.length
  t.deepEqual([await events(slotOf(3) - 1), await events(slotOf(3))], [0, 1])
})

test('a mint in place of a pool is refused from its first event on', async (t) => {
  const path = `/swaps?pair_address=${mintOfPair(90)}&as_of_slot=`
  t.is((await under().get(`${path}${slotOf(3) - 1}`)).status, 200)
  t.is((await under().get(`${path}${slotOf(3)}`)).status, 400)
})

test('both parameters, no integer, and a moment above the newest slot are refused with the reason', async (t) => {
  t.is(
    await messageOf(`/swaps?as_of_slot=10000&as_of_time=${FIRST_MS}`),
    '400 as_of_slot and as_of_time both state a moment: give one of them',
  )
  t.is(
    await messageOf('/swaps?as_of_slot=1.5'),
    '400 as_of_slot "1.5": expected an integer of 0 to 9007199254740991',
  )
  t.true((await messageOf('/swaps?as_of_time=x')).startsWith('400 as_of_time "x": expected'))
  t.is(
    await messageOf(`/swaps?as_of_slot=${NEWEST + 1}`),
    `400 as_of_slot "${NEWEST + 1}" is above the newest indexed slot: use at most ${NEWEST}`,
  )
  const laterMs = timeOf(SWAPS - 1) + 1
  t.is(
    await messageOf(`/swaps?as_of_time=${laterMs}`),
    `400 as_of_time "${laterMs}" is above the newest indexed slot, whose latest swap is of ${laterMs - 1}: use at most ${NEWEST}`,
  )
})

test.serial('a change that a worker has not applied is a reason to try again', async (t) => {
  const { db } = under()
  const client = await db.query(
    `insert into retraction (slot, blockhash, lane) values ($1, 'left', 0) returning slot`,
    [slotOf(20)],
  )
  t.is(client.rowCount, 1)
  const after = await under().get(`/swaps?as_of_slot=${slotOf(20)}`)
  t.is(after.status, 503)
  t.is(after.headers.get('Retry-After'), '1')
  t.is((await under().get(`/swaps?as_of_slot=${slotOf(20) - 1}`)).status, 200)
  const { body } = await under().get('/api/v1/slot')
  const held = { slot: slotOf(20) - 1, held_by: { by: 'pool', slot: slotOf(20) } }
  t.like(body.data as object, held)
  await db.query(`delete from retraction where blockhash = 'left'`)
})

test.serial('impacts that are to be computed again hold answers with impacts only', async (t) => {
  const { db } = under()
  const statusOf = async (path: string, slot: number) =>
    (await under().get(`${path}${path.includes('?') ? '&' : '?'}as_of_slot=${slot}`)).status
  await db.query('insert into pool_repair (pool_id, lane) select id, 0 from pool')
  const shown = ['/swaps', `/swaps/token/${mint(0)}`, `/swaps/${signatureOf(0)}`]
  for (const path of shown) t.is(await statusOf(path, NEWEST), 503, path)
  t.is(await statusOf('/swaps', FIRST_SLOT - 1), 200)
  for (const path of ['/pool-events', `/price/multi?tokens=${mint(0)}`]) {
    t.is(await statusOf(path, NEWEST), 200, path)
  }
  await db.query('delete from pool_repair')
  t.is(await statusOf('/swaps', NEWEST), 200)
})

test('every route either has both parameters or refuses each by name, with those of its topic that have them', async (t) => {
  const routes = declaredRoutes()
  const able = routes.filter(({ parameters }) => 'as_of_slot' in parameters.properties)
  t.true(able.length > 6)
  for (const { path, parameters, body, parse, parseBody } of routes) {
    if (able.some((each) => each.path === path)) {
      t.true('as_of_time' in parameters.properties, path)
      continue
    }
    if (body !== undefined && 'as_of_slot' in body.properties) {
      t.true('as_of_time' in body.properties, path)
      const error = t.throws(() => parse({ as_of_slot: '1' }))
      t.like(error, { code: 'INVALID_PARAM', message: 'as_of_slot: expected in the body' }, path)
      continue
    }
    for (const name of ['as_of_slot', 'as_of_time']) {
      const expected = { code: 'AS_OF_UNSUPPORTED', message: new RegExp(`${name}: `) }
      t.like(
        t.throws(() => parse({ [name]: '1' })),
        { code: expected.code },
        path,
      )
      if (parseBody)
        t.like(
          t.throws(() => parseBody({ [name]: 1 })),
          { code: expected.code },
          path,
        )
    }
  }
  const { status, body } = await under().get('/trending?as_of_slot=10000')
  t.is(status, 400)
  t.deepEqual(body.error, {
    code: 'AS_OF_UNSUPPORTED',
    message: 'GET /trending does not support as_of_slot: no other route of this topic does either',
  })
  t.is(
    (await under().get('/screener?as_of_time=10000')).body.error,
    'GET /screener does not support as_of_time: no other route of this topic does either',
  )
  t.is((await under().get('/openapi.json?as_of_slot=10000')).status, 400)
})

test('a moment in the body of a batch is refused with where it belongs, and so is one in the query of a job', (t) => {
  const routes = declaredRoutes()
  const batches = routes.filter(
    ({ parameters, body }) => body !== undefined && 'as_of_slot' in parameters.properties,
  )
  t.true(batches.length > 3)
  for (const { path, parseBody } of batches) {
    const error = t.throws(() => parseBody?.({ as_of_time: 1 }))
    t.like(error, { code: 'INVALID_PARAM', message: 'as_of_time: expected in the query' }, path)
  }
})

test('a route refuses the same parameters whatever the form of its integers and venues', (t) => {
  for (const route of [...declaredRoutes(), ...withVenueNames(declaredRoutes(), 'programs')]) {
    const texted = { ...route, ...route.withTextIntegers() }
    t.is(texted.parse, route.parse, route.path)
    t.is(texted.parseBody, route.parseBody, route.path)
  }
})

test('a time before a first swap of slot 0 means slot -1, of which nothing is known', async (t) => {
  const other = await apiUnderTest(t)
  await insertSwaps(other.db, [sampleSwap({ slot: 0, timestamp: FIRST_MS })])
  const { status, body } = await other.get(`/swaps?as_of_time=${FIRST_MS - 1}`)
  t.is(status, 200)
  t.deepEqual(body.data, [])
  t.like(body.as_of as AsOf, { slot: -1, timestamp: null })
})

test('every route that folds swaps as of a slot documents the refusal of too many', (t) => {
  const isList = (path: string) => path.startsWith('/swaps') || path === '/pool-events'
  for (const { path, parameters, errors } of declaredRoutes()) {
    if (!('as_of_slot' in parameters.properties)) continue
    t.is(errors.includes('AS_OF_TOO_COSTLY'), !isList(path), path)
  }
})

test('GraphQL and CSV answer as of a slot, too', async (t) => {
  const { api, key } = under()
  const query = `{ traderSwaps(wallet: "${trader(1)}", as_of_slot: ${slotOf(3)}) { slot } }`
  const response = await fetch(`${api.url}/graphql`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  t.deepEqual(await response.json(), {
    data: { traderSwaps: [{ slot: slotOf(3) }, { slot: slotOf(1) }] },
  })
  const path = `/swaps/token/${mint(0)}?as_of_slot=${slotOf(3)}`
  const { text, status, headers } = await under().get(path, { Accept: 'text/csv' })
  t.is(status, 200)
  t.false(text.includes('as_of'))
  const stated = { slot: slotOf(3), timestamp: timeOf(3), cursor: null, settled: false }
  t.deepEqual(JSON.parse(headers.get('X-As-Of') ?? ''), stated)
  const now = await under().get(`/swaps/token/${mint(0)}`, { Accept: 'text/csv' })
  t.is(now.headers.get('X-As-Of'), null)
})

test('the field of all time answers as of a slot as that of a window does', async (t) => {
  const { send } = await asker(under())
  const given = `wallet: "${trader(1)}", as_of_slot: ${slotOf(9)}`
  const fields = '{ total_volume_sol swap_count as_of { slot } }'
  const query = `{ traderStats(${given}) ${fields} walletStats(${given}, window: "all") ${fields} }`
  const { data, errors } = await send(query)
  t.is(errors, undefined)
  const { traderStats, walletStats } = data as Record<string, Record<'as_of', AsOf>>
  t.deepEqual(traderStats, walletStats)
  t.is(traderStats?.as_of.slot, slotOf(9))
})

test('GraphQL refuses tokens of now in an answer as of a slot, once', async (t) => {
  const { send } = await asker(under())
  const at = `as_of_slot: ${slotOf(9)}`
  const tokens = '{ signature token { price_sol } }'
  for (const query of [
    `{ swaps(${at}) ${tokens} }`,
    `{ swapsPage(${at}) { data ${tokens} } }`,
    `{ swaps(${at}) { ...rows } } fragment rows on Swap ${tokens}`,
    `{ swaps(as_of_time: "${timeOf(9)}") { ... on Swap ${tokens} } }`,
  ]) {
    const { data, errors = [] } = await send(query)
    t.is(errors.length, 1, query)
    t.is(errors[0]?.extensions?.code, 'AS_OF_UNSUPPORTED')
    t.regex(String(errors[0]?.message), /^token does not support as_of_\w+: use tokensStats/)
    t.deepEqual(Object.values(data ?? {}), [null])
  }
  t.is((await send(`{ swaps ${tokens} }`)).errors, undefined)
})

test('the current slot is the newest, with its time', async (t) => {
  const { body } = await under().get('/api/v1/slot')
  t.deepEqual(body, {
    success: true,
    data: {
      ...{ slot: NEWEST, timestamp: timeOf(SWAPS - 1), cursor: null },
      ...{ newest_slot: NEWEST, held_by: null },
    },
  } as never)
})
