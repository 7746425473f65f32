/**
 * Venues by number, by name and by the name of their program: each route and field that takes one answers the same to
 * all three, and names venues in answers as the installation is set.
 */
import test from 'ava'
import { type Api, startApi } from '../../../api/main.ts'
import { VENUES, venueOf } from '../../../domain/venue.ts'
import { apiForFile, PATIENT, SILENT } from '../../support/api/api-under-test.ts'
import { trader } from '../../support/market/sample-swap.ts'
import { asker } from '../graphql/send-query.ts'
import { rankedMarket } from '../resources/trending/market.ts'

const under = apiForFile()
const VENUE = venueOf(2)
const TEXTS = [String(VENUE.dex), VENUE.name, VENUE.programName]
let market: Awaited<ReturnType<typeof rankedMarket>>
let programs: Api

test.serial.before(async () => {
  market = await rankedMarket(under().db)
  programs = await startApi({
    ...{ databaseUrl: under().databaseUrl, port: 0, log: SILENT, venueNames: 'programs' },
    ...PATIENT,
  })
})
test.after.always(() => programs.stop())

const swapOf = () => {
  const found = market.swaps.find(({ dex }) => dex === VENUE.dex)
  if (found === undefined) throw new Error('the market has no swap of the venue')
  return found
}

/** Each route with a venue as a parameter; null: it takes none, and its answer names venues. */
const routesOf = (): readonly (readonly [string, 'dex' | 'protocol' | null])[] => {
  const { tokenAddress: mint, user, timestamp } = swapOf()
  return [
    ['/swaps?limit=5', 'dex'],
    [`/swaps/range?from=${timestamp - 60_000}&to=${timestamp}`, 'dex'],
    ['/swaps/range?start_slot=0&end_slot=2000000', 'dex'],
    ['/swaps/whale?min_sol=0', 'dex'],
    [`/swaps/trader/${user}?limit=5`, 'dex'],
    [`/swaps/token/${mint}?limit=5`, 'dex'],
    ['/pool-events?limit=5', 'dex'],
    [`/wallets/${user}/stats?window=all`, 'dex'],
    [`/wallets/${user}/holdings?`, 'dex'],
    [`/wallets/${user}/trades?limit=5`, 'dex'],
    ['/api/v1/pairs?limit=5', 'protocol'],
    [`/api/v1/pairs?token_address=${mint}`, 'protocol'],
    ['/api/v1/top-movers?timeframe=24h', 'protocol'],
    ['/screener?limit=5', 'protocol'],
    ['/v2/mev/sandwiches?limit=5', 'dex'],
    ['/v2/mev/summary?by=day', 'dex'],
    ['/api/v1/protocols?', null],
    ['/api/v1/coverage?', null],
    [`/tokens/${mint}/intel?`, null],
    [`/tokens/${mint}/audit?`, null],
  ]
}

test('every route that takes a venue answers the same to its number and its two names', async (t) => {
  for (const [path, parameter] of routesOf()) {
    if (parameter === null) continue
    const [first, ...others] = await Promise.all(
      TEXTS.map((text) => under().get(`${path}&${parameter}=${text}`)),
    )
    t.is(first?.status, 200, path)
    const body = { ...first?.body, computed_at: 0, feed_cursor: null }
    for (const other of others) {
      t.deepEqual({ ...other.body, computed_at: 0, feed_cursor: null } as object, body, path)
    }
    const refused = await under().get(`${path}&${parameter}=venue_99`)
    t.is(refused.status, 400, path)
    t.regex(
      refused.text,
      /"venue_99\\": use 1 to \d+, venue_1 to venue_\d+, or one of pumpfun /,
      path,
    )
  }
})

test('the document lists every parameter that the table above has', async (t) => {
  const { body } = await under().get('/openapi.json')
  const paths = body.paths as Record<string, { get?: { parameters: { name: string }[] } }>
  const documented = Object.entries(paths).filter(([, { get }]) =>
    get?.parameters.some(({ name }) => name === 'dex' || name === 'protocol'),
  )
  const tested = routesOf().flatMap(([path, parameter]) =>
    parameter === null ? [] : [path.split('?')[0] ?? ''],
  )
  for (const [path] of documented) {
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    t.true(
      tested.some((each) => pattern.test(each)),
      path,
    )
  }
  t.true(documented.length >= 11)
})

test('GraphQL takes a venue as an integer and as a text', async (t) => {
  const { send } = await asker(under())
  const answers = await Promise.all(
    ['2', '"2"', '"venue_2"', '"pumpswap"'].map((venue) =>
      send(`{ swaps(dex: ${venue}, limit: 5) { signature dex } topMovers(timeframe: "24h", protocol: ${venue})
        { protocol gainers { mint } losers { mint } } }`),
    ),
  )
  for (const { errors, data } of answers) {
    t.is(errors, undefined)
    t.deepEqual(data, answers[0]?.data)
  }
  const refused = await send('{ swaps(dex: 99) { signature } }')
  t.regex(refused.text, /dex \\"99\\": use 1 to \d+/)
})

test('with names of programs every answer names them, and is otherwise the same', async (t) => {
  const headers = { 'X-API-Key': under().key }
  let named = 0
  for (const [path, parameter] of routesOf()) {
    const url = parameter === null ? path : `${path}&${parameter}=2`
    const byId = (await under().get(url)).text
    const byProgram = await (await fetch(programs.url + url, { headers })).text()
    const withoutTimes = (text: string): string =>
      text
        .replaceAll(/"(?:computed_at|indexing_lag_ms)":\d+/g, '')
        .replaceAll(/"feed_cursor":[^,}]+/g, '')
    const expected = VENUES.toReversed().reduce(
      (text, { name, programName }) => text.replaceAll(`"${name}"`, `"${programName}"`),
      withoutTimes(byId),
    )
    t.is(withoutTimes(byProgram), expected, url)
    if (expected !== withoutTimes(byId)) named++
  }
  t.true(named >= 4, `${named} answers name a venue`)
})

test('with names of programs the documents have them in examples', async (t) => {
  const documents = await Promise.all(
    ['/openapi.json', '/asyncapi.json'].map(async (path) =>
      (await fetch(programs.url + path)).json(),
    ),
  )
  const examples: unknown[] = []
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, each] of Object.entries(value)) {
      if (name === 'responses') examples.push(...examplesIn(each))
      else collect(each)
    }
  }
  collect(documents)
  const text = JSON.stringify(examples)
  t.notRegex(text, /"venue_\d+"/)
  t.regex(text, /"(?:protocol)":"\w+"/)
})

function examplesIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) =>
    name === 'example' ? [each] : examplesIn(each),
  )
}

test('a wallet that never traded on the venue is no error', async (t) => {
  const { status } = await under().get(`/wallets/${trader(9_999)}/stats?dex=orca`)
  t.is(status, 200)
})
