/**
 * The screener against the naive figures of a random market, computed on the spot and from a screen that a
 * job made: every filter, sort and page at random; then ages of screens, refusals and warnings.
 */

import test from 'ava'
import type { PoolEvent } from '../../../../domain/events/pool-event.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { WINDOW_MINUTES, WINDOW_NAMES } from '../../../../domain/time/trade-window.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { refreshScreen } from '../../../../workers/jobs/screener.ts'
import { refreshSearchKeys } from '../../../../workers/search-keys.ts'
import { exactQuotient } from '../../../simulation/models/exact.ts'
import { naiveTokenPrice } from '../../../simulation/models/price-model.ts'
import { type ApiUnderTest, apiForFile, apiUnderTest } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { recountAll } from '../../../support/api/insert-ranking.ts'
import { insertEvents, insertSwaps } from '../../../support/api/insert-swaps.ts'
import { inWindow, NEWEST_MS, randomMarket, TOKENS } from '../../../support/market/random-market.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../../support/market/sample-swap.ts'
import { LAMPORTS, naiveWindow } from '../../../support/market/window-model.ts'
import { openJobBench } from '../../../support/workers/jobs.ts'
import { until } from '../../../support/workers/pipeline.ts'

const RATE = 200
const under = apiForFile({ solUsdFallback: RATE })
const prng = new Prng([20_260_723])
const SWAPS = randomMarket(prng, 400)
const one = <Value>(values: readonly Value[]): Value => values[prng.below(values.length)]!

const SECTORS = [null, 'ai', 'meme', 'ai', null, 'meme', 'ai', 'meme']
/** Creators by the token lines; tokens 4 and 5 have one only by a `created` event. */
const CREATORS = [1, 2, 1, null, null, null, 2, 1]

async function fill(api: ApiUnderTest): Promise<void> {
  for (const part of Map.groupBy(SWAPS, () => prng.below(4)).values()) {
    await insertSwaps(api.db, part, { hasPrices: true })
  }
  await recountAll(api.db)
  await insertLedger(api.db, [])
  for (const [token, sector] of SECTORS.entries()) {
    const creator = CREATORS[token] == null ? null : trader(CREATORS[token])
    await api.db.query(
      'update token set sector = $2, creator = $3, symbol = $4 where address = $1',
      [mint(token), sector, creator, `T${token}`],
    )
  }
  await refreshSearchKeys(api.db)
  const created = (n: number, token: number, by?: number, more: Partial<PoolEvent> = {}) => ({
    event: 'created' as const,
    signature: signatureOf(5_000 + n),
    slot: 10 + n,
    timestamp: 1_000,
    blockTxIndex: 0,
    ixIndex: 0,
    dex: 1 as const,
    pairAddress: pair(token * 4),
    tokenAddress: mint(token),
    ...(by === undefined ? {} : { creator: trader(by) }),
    ...more,
  })
  // Token 0 has its token line's; token 5 that of the first of its two events, token 3 of one without a creator; those
  // of token 4 are at one position, where the venue decides.
  await insertEvents(api.db, [
    created(0, 0, 6),
    created(1, 5, 2),
    created(2, 5, 6),
    created(3, 3),
    created(4, 3, 6),
    created(5, 4, 2, { slot: 20, dex: 1 }),
    created(6, 4, 6, { slot: 20, dex: 2 }),
  ])
}

test.serial.before(() => fill(under()))

const CREATED_BY: Record<number, number[]> = { 1: [0, 2, 7], 2: [1, 4, 5, 6], 6: [] }

type Row = Record<string, number | string | null | string[]> & { mint: string }

/** Holdings by the ledger, from buys and sells only: none is below zero. */
function holdersOf(own: readonly Swap[]): number {
  const ordered = own.toSorted((a, b) => {
    if (a.slot !== b.slot) return a.slot - b.slot
    if (a.blockTxIndex !== b.blockTxIndex) return Number(a.blockTxIndex) - Number(b.blockTxIndex)
    if (a.ixIndex !== b.ixIndex) return a.ixIndex - b.ixIndex
    if (a.dex !== b.dex) return a.dex - b.dex
    if (a.isBuy !== b.isBuy) return a.isBuy ? -1 : 1
    return a.signature < b.signature ? -1 : 1
  })
  const balances = new Map<string, bigint>()
  for (const swap of ordered) {
    const held = balances.get(swap.user) ?? 0n
    const arrived = BigInt(swap.tokenAmount) - BigInt(swap.transferFeeOut)
    const left = BigInt(swap.tokenAmount) + BigInt(swap.transferFeeIn)
    const next = swap.isBuy ? held + (arrived > 0n ? arrived : 0n) : held - left
    balances.set(swap.user, next > 0n ? next : 0n)
  }
  return [...balances.values()].filter((balance) => balance > 0n).length
}

function rowOf(token: number, minutes: number): Row {
  const own = SWAPS.filter(({ tokenAddress }) => tokenAddress === mint(token))
  const priced = naiveTokenPrice(SWAPS, mint(token))
  const top = own
    .filter(({ pairAddress }) => pairAddress === priced?.pair)
    .sort((a, b) => a.slot - b.slot || a.ixIndex - b.ixIndex)
    .at(-1)
  const reserve = top?.dex === 10 ? 0n : 2n * BigInt(top?.realSolReserves ?? 0)
  const liquidity = top === undefined ? null : exactQuotient(reserve, LAMPORTS)
  const price = priced?.price ?? null
  const { volume_sol, trades, buys, sells, buyers, sellers, change_pct } = naiveWindow(own, minutes)
  const first = Math.min(...own.map(({ timestamp }) => timestamp))
  const venues = new Set(inWindow(own, minutes).map(({ dex }) => dex))
  const isOther = token === 99
  return {
    mint: mint(token),
    symbol: isOther ? null : `T${token}`,
    name: null,
    sector: isOther ? null : (SECTORS[token] ?? null),
    protocols: [...venues].sort((a, b) => a - b).map((dex) => `venue_${dex}`),
    price_sol: price,
    price_usd: price === null ? null : price * RATE,
    volume_sol,
    volume_usd: volume_sol * RATE,
    liquidity_sol: liquidity,
    liquidity_usd: liquidity === null ? null : liquidity * RATE,
    change_pct,
    trades,
    buys,
    sells,
    buyers,
    sellers,
    holders: holdersOf(own),
    age_minutes: Math.floor((NEWEST_MS - first) / 60_000),
  }
}

const ALL = [...Array.from({ length: TOKENS }, (_, token) => token), 99]
const ROWS = new Map(
  WINDOW_NAMES.map((window) => [window, ALL.map((token) => rowOf(token, WINDOW_MINUTES[window]))]),
)
const SORTS = [
  ...['volume_usd', 'price_usd', 'liquidity_usd', 'change_pct', 'trades', 'buyers', 'holders'],
  'age_minutes',
]

type Requested = Record<string, string | number>

function expected(requested: Requested) {
  const { window = '24h', sort = 'volume_usd', order = 'desc', limit = 50, offset = 0 } = requested
  const rows = ROWS.get(window as '24h')!
  const named = requested.mint === undefined ? undefined : [requested.mint]
  const fits = rows.filter((row) => {
    const token = ALL[rows.indexOf(row)]!
    if (named === undefined ? row.trades === 0 : !named.includes(row.mint)) return false
    if (requested.sector !== undefined && row.sector !== requested.sector) return false
    if (requested.protocol !== undefined) {
      if (!(row.protocols as string[]).includes(String(requested.protocol))) return false
    }
    if (requested.creator !== undefined) {
      const by = [1, 2, 6].find((n) => trader(n) === requested.creator)
      if (!(CREATED_BY[by ?? 6] ?? []).includes(token)) return false
    }
    return SORTS.every((name) => {
      const value = row[name] as number | null
      const [least, greatest] = [requested[`min_${name}`], requested[`max_${name}`]]
      if (value === null) return least === undefined && greatest === undefined
      return !(value < Number(least ?? -Infinity)) && !(value > Number(greatest ?? Infinity))
    })
  })
  const sign = order === 'asc' ? 1 : -1
  const firstOf = (row: Row) =>
    Math.min(...SWAPS.filter((swap) => swap.tokenAddress === row.mint).map((s) => s.timestamp))
  const keyOf = (row: Row) =>
    sort === 'age_minutes' ? -firstOf(row) : (row[String(sort)] as number | null)
  const sorted = fits.toSorted((a, b) => {
    const [x, y] = [keyOf(a), keyOf(b)]
    if (x === null || y === null) {
      return Number(x === null) - Number(y === null) || (a.mint < b.mint ? -1 : 1)
    }
    return sign * (x - y) || (a.mint < b.mint ? -1 : 1)
  })
  return {
    results: sorted.slice(Number(offset), Number(offset) + Number(limit)),
    total_matches: fits.length,
    limit: Number(limit),
    offset: Number(offset),
    warnings: [],
  }
}

const queryOf = (requested: Requested): string =>
  Object.entries(requested)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')

function randomRequest(): Requested {
  const requested: Requested = { window: one(WINDOW_NAMES) }
  if (prng.chance(0.7)) requested.sort = one(SORTS)
  if (prng.chance(0.5)) requested.order = one(['asc', 'desc'])
  if (prng.chance(0.3)) requested.limit = one([1, 2, 200])
  if (prng.chance(0.3)) requested.offset = one([0, 1, 3, 50])
  if (prng.chance(0.2)) requested.sector = one(['ai', 'meme', 'none'])
  if (prng.chance(0.2)) requested.protocol = `venue_${1 + prng.below(10)}`
  if (prng.chance(0.2)) requested.creator = trader(one([1, 2, 6]))
  if (prng.chance(0.15)) requested.mint = mint(one(ALL))
  const rows = ROWS.get(requested.window as '24h')!
  for (const name of SORTS) {
    const value = one(rows)[name] as number | null
    if (!prng.chance(0.15) || value === null || value > 1e15) continue
    const near = Number(value.toFixed(6))
    const text = Number.isInteger(value) || prng.chance(0.5) ? near : near.toExponential()
    requested[`${one(['min', 'max'])}_${name}`] = text
  }
  return requested
}

async function compare(
  t: { deepEqual: (a: unknown, b: unknown, message?: string) => boolean },
  api: ApiUnderTest,
  runs: number,
): Promise<number> {
  let seen = 0
  for (let run = 0; run < runs; run++) {
    const requested = randomRequest()
    const { body } = await api.get(`/screener?${queryOf(requested)}`)
    t.deepEqual(body as unknown, expected(requested), JSON.stringify(requested))
    seen += (body.results as unknown[]).length
  }
  return seen
}

test.serial('on the spot: every filter, sort and page is that of the naive figures', async (t) => {
  t.true((await compare(t, under(), 150)) > 150, 'there was something to compare')
})

test.serial('from a screen that was made: the same', async (t) => {
  const stored = await apiUnderTest(t, { solUsdFallback: RATE, screenedPoolsMax: 0 })
  await fill(stored)
  for (const window of WINDOW_NAMES) await refreshScreen(stored.db, window)
  t.true((await compare(t, stored, 150)) > 150, 'there was something to compare')
  // Recomputed over the stored one, it is the same; tokens that no longer trade are removed.
  await stored.db.query("insert into token (address) values ('gone')")
  await stored.db.query(
    `insert into screener_token
     select 5, (select id from token where address = 'gone'), 'gone', 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2`,
  )
  await stored.db.query('update screener_token set trades = trades + 1, price_sol = null')
  for (const window of WINDOW_NAMES) {
    t.true(await refreshScreen(stored.db, window, { freshMs: 0 }))
    t.false(await refreshScreen(stored.db, window))
  }
  await compare(t, stored, 60)
})

test.serial(
  'computes a missing screen for the request, serves an old one and recomputes it',
  async (t) => {
    const bench = openJobBench(t)
    const stored = await apiUnderTest(t, {
      solUsdFallback: RATE,
      screenedPoolsMax: 0,
      jobs: bench.queue(),
    })
    await fill(stored)
    bench.work({ databaseUrl: stored.databaseUrl })
    const { body } = await stored.get('/screener?window=24h')
    t.deepEqual(body as unknown, expected({ window: '24h' }))
    const late = sampleSwap({
      signature: signatureOf(9_000),
      slot: 2_000_000,
      timestamp: NEWEST_MS,
      tokenAddress: mint(55),
      pairAddress: pair(555),
      solAmount: 1_000_000_000,
      tokenAmount: 1_000_000,
    })
    await insertSwaps(stored.db, [late], { hasPrices: true })
    const totalOf = async () => (await stored.get('/screener?window=24h')).body.total_matches
    t.is(await totalOf(), TOKENS, 'a fresh one stays')
    await stored.db.query("update screener_roll set rolled_at = rolled_at - interval '20 seconds'")
    t.is(await totalOf(), TOKENS, 'an old one serves')
    await until('the next screen', 60_000, async () => (await totalOf()) === TOKENS + 1)
    await stored.db.query("update screener_roll set rolled_at = rolled_at - interval '70 seconds'")
    await stored.db.query('update screener_token set trades = 0')
    const { body: anew } = await stored.get('/screener?window=24h&min_trades=1')
    t.is(anew.total_matches, TOKENS + 1, 'too old a one is waited for')
  },
)

test.serial('without jobs a large screen is unavailable, named tokens are not', async (t) => {
  const stored = await apiUnderTest(t, { screenedPoolsMax: 0, solUsdFallback: RATE })
  await fill(stored)
  const { status, body } = await stored.get('/screener')
  t.is(status, 503)
  t.like(body, { success: false, error: { code: 'UNAVAILABLE' } })
  const named = await stored.get(`/screener?mint=${mint(1)}`)
  t.deepEqual(named.body as unknown, expected({ mint: mint(1) }))
})

test.serial('tokens by a list of mints, in both ways to write one', async (t) => {
  const mints = [mint(7), mint(2), mint(4_000)]
  // The younger first.
  const expectedRows = [2, 7]
    .map((token) => rowOf(token, 5))
    .sort((a, b) => Number(a.age_minutes) - Number(b.age_minutes))
  for (const query of [
    `mints[]=${mints.join()}`,
    mints.map((each) => `mints[]=${each}`).join('&'),
    `mints%5B%5D=${mints.join()}`,
  ]) {
    const { body } = await under().get(`/screener?window=5m&sort=age_minutes&order=asc&${query}`)
    t.is(body.total_matches, 2)
    t.deepEqual(body.results as unknown, expectedRows)
    t.deepEqual(body.warnings, [])
  }
  const { body } = await under().get(`/screener?mint=${mint(2)}&mints[]=${mints.join()}`)
  t.is(body.total_matches, 1)
  t.is((await under().get(`/screener?mint=${mint(1)}&mints[]=${mint(2)}`)).body.total_matches, 0)
})

test.serial('ignores unsupported parameters with a warning', async (t) => {
  const { status, body } = await under().get('/screener?min_foo=1&mints=x&fdv=2')
  t.is(status, 200)
  t.deepEqual(body as unknown, {
    ...expected({}),
    warnings: [
      'unsupported parameter "min_foo": it was ignored',
      'unsupported parameter "mints": it was ignored; did you mean "mints[]"?',
      'unsupported parameter "fdv": it was ignored',
    ],
  })
})

test.serial('without a rate dollars are null, match no filter and cause a warning', async (t) => {
  const fresh = await apiUnderTest(t)
  await insertSwaps(fresh.db, SWAPS, { hasPrices: true })
  const { body } = await fresh.get('/screener')
  t.is(body.total_matches, TOKENS)
  t.true((body.results as unknown as Row[]).every((row) => row.volume_usd === null))
  const requested = await fresh.get('/screener?min_volume_usd=0&max_price_usd=9')
  t.is(requested.body.total_matches, 0)
  t.deepEqual(requested.body.warnings, [
    'max_price_usd fits no token while no SOL/USD rate is known',
    'min_volume_usd fits no token while no SOL/USD rate is known',
  ])
})

test.serial('a screen is empty before the first swap', async (t) => {
  const fresh = await apiUnderTest(t, { screenedPoolsMax: 0 })
  const { status, body } = await fresh.get('/screener')
  t.is(status, 200)
  t.deepEqual(body.results, [])
  t.is(body.total_matches, 0)
})

const REFUSED: [string, RegExp][] = [
  ['mint=no0pe', /^mint "no0pe": expected an address/],
  ['mints[]=no0pe', /^mints\[\] "no0pe": expected an address/],
  [`mints[]=${mint(1)}&mints[]=`, /^mints\[\] "": expected an address/],
  [
    `mints[]=${Array.from({ length: 201 }, (_, n) => mint(n)).join()}`,
    /^mints\[\]: expected 1 to 200 values, not 201$/,
  ],
  ['creator=x', /^creator "x": expected an address/],
  ['sector=', /^sector "": expected 1 to 200 characters/],
  ['sector=%00', /none of control$/],
  ['protocol=venue_0', /^protocol "venue_0": use 1 to \d+, venue_1/],
  ['window=7m', /^window "7m": use one of 1m 5m .*24h$/],
  ['sort=fdv', /^sort "fdv": use one of volume_usd/],
  ['order=up', /^order "up": use one of asc desc$/],
  ['limit=0', /^limit "0": expected an integer of 1 to 200$/],
  ['limit=201', /^limit "201": expected an integer of 1 to 200$/],
  ['offset=-1', /^offset "-1": expected an integer of 0 to/],
  ['min_price_usd=-1', /^min_price_usd "-1": expected a decimal of 0 to/],
  ['min_price_usd=-1e-7', /^min_price_usd "-1e-7": expected a decimal of 0 to/],
  ['max_price_usd=1e16', /^max_price_usd "1e16": expected a decimal of 0 to 1000000000000000$/],
  ['max_volume_usd=many', /^max_volume_usd "many": expected a decimal/],
  ['min_change_pct=-100.5', /^min_change_pct "-100.5": expected a decimal of -100 to/],
  ['min_trades=1.5', /^min_trades "1.5": expected an integer of 0 to/],
  ['max_holders=-1', /^max_holders "-1": expected an integer of 0 to/],
]

for (const [n, [query, text]] of REFUSED.entries()) {
  test.serial(`/screener?${query.slice(0, 30)} (${n}) is refused with a text`, async (t) => {
    const { status, body } = await under().get(`/screener?${query}`)
    t.is(status, 400)
    t.deepEqual(Object.keys(body), ['success', 'data', 'error'])
    t.is(body.success as unknown, false)
    t.is(body.data as unknown, null)
    t.regex(body.error as string, text)
  })
}

test.serial('the screener requires a key', async (t) => {
  const { status, body } = await under().call('/screener')
  t.is(status, 401)
  t.like(body, { success: false, error: { code: 'UNAUTHORIZED' } })
})
