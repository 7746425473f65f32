/**
 * Pairs in their three forms: the enriched ones and the venues' totals against sums over all swaps of a random market
 * that arrived in parts, out of order; the flat list page by page; then refusals.
 */
import test from 'ava'
import { compareSwaps, type Swap } from '../../../../domain/events/swap.ts'
import { VENUES } from '../../../../domain/venue.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { naivePrice } from '../../../simulation/models/candle-model.ts'
import { exactQuotient } from '../../../simulation/models/exact.ts'
import { apiForFile, apiUnderTest } from '../../../support/api/api-under-test.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { inWindow, randomMarket, TOKENS, volumeOf } from '../../../support/market/random-market.ts'
import { mint, pair, signatureOf } from '../../../support/market/sample-swap.ts'

const LAMPORTS = 1_000_000_000n
const under = apiForFile()
const prng = new Prng([20_260_721])
const SWAPS = randomMarket(prng, 400)

test.serial.before(async () => {
  const parts = Map.groupBy(SWAPS, () => prng.below(4))
  for (const part of parts.values()) await insertSwaps(under().db, part, { hasPrices: true })
})

type Pair = Record<string, unknown>
const byPool = Map.groupBy(SWAPS, ({ pairAddress }) => pairAddress)

function expectedPair(own: readonly Swap[]): Pair & { volume: bigint; trades: number } {
  const ordered = own.toSorted(compareSwaps)
  const last = ordered.at(-1)!
  const priced = ordered.filter((swap) => naivePrice(swap) !== null).at(-1)
  const day = inWindow(own, 1_440)
  const liquidity = last.dex === 10 ? 0n : 2n * BigInt(last.realSolReserves)
  return {
    volume: volumeOf(day),
    trades: day.length,
    pair_address: last.pairAddress,
    token_address: last.tokenAddress,
    protocol: `venue_${last.dex}`,
    dex: last.dex,
    recent_volume_sol: exactQuotient(volumeOf(day), LAMPORTS),
    recent_trade_count: day.length,
    swap_count: own.length,
    price_sol: priced === undefined ? null : naivePrice(priced),
    last_price_timestamp: priced?.timestamp ?? null,
    last_trade_timestamp: Math.max(...own.map(({ timestamp }) => timestamp)),
    liquidity_sol: exactQuotient(liquidity, LAMPORTS),
  }
}

function expectedPairs(mints: readonly string[], protocol?: string): Pair[] {
  return [...byPool.values()]
    .filter((own) => mints.includes(own[0]!.tokenAddress))
    .map(expectedPair)
    .filter((each) => protocol === undefined || each.protocol === protocol)
    .sort((a, b) => {
      if (a.volume !== b.volume) return a.volume > b.volume ? -1 : 1
      return b.trades - a.trades || (String(a.pair_address) < String(b.pair_address) ? -1 : 1)
    })
    .map(({ volume: _, trades: __, ...shown }) => shown)
}

test('orders pools of a token by the volume of the day for any order of arrival', async (t) => {
  let silent = 0
  for (let token = 0; token < TOKENS; token++) {
    const { body } = await under().get(`/api/v1/pairs?token_address=${mint(token)}`)
    const expected = expectedPairs([mint(token)])
    silent += expected.filter(({ recent_trade_count: trades }) => trades === 0).length
    t.deepEqual(body.data, expected)
    t.is(body.next_cursor, null)
  }
  t.true(silent > 0, 'some fell silent')
})

test('several tokens are one list, with a venue and a limit', async (t) => {
  const mints = [0, 1, 2, 3, 4, 5].map(mint)
  const list = `token_addresses=${mints.join()}`
  t.deepEqual((await under().get(`/api/v1/pairs?${list}`)).body.data, expectedPairs(mints))
  t.deepEqual(
    (await under().get(`/api/v1/pairs?${list}&limit=3`)).body.data,
    expectedPairs(mints).slice(0, 3),
  )
  const onOne = await under().get(`/api/v1/pairs?${list}&protocol=venue_3`)
  t.deepEqual(onOne.body.data, expectedPairs(mints, 'venue_3'))
  const both = `token_address=${mint(0)}&token_addresses=${mint(1)},${mint(0)}`
  t.deepEqual(
    (await under().get(`/api/v1/pairs?${both}`)).body.data,
    expectedPairs([mint(0), mint(1)]),
  )
  const most = Array.from({ length: 200 }, (_, n) => mint(n)).join()
  t.is((await under().get(`/api/v1/pairs?token_addresses=${most}`)).status, 200)
})

test('an unknown token has no pairs', async (t) => {
  const { status, body } = await under().get(`/api/v1/pairs?token_address=${mint(5_000)}`)
  t.is(status, 200)
  t.deepEqual(body.data, [])
})

test('without a token data is the flat array of accounts, which a cursor walks', async (t) => {
  const firsts = [...byPool].map(([account, own]) => ({
    account,
    slot: own.reduce((least, { slot }) => Math.min(least, slot), Number.MAX_SAFE_INTEGER),
  }))
  t.true(new Set(firsts.map(({ slot }) => slot)).size < firsts.length, 'some tie')
  const all = firsts
    .sort((a, b) => b.slot - a.slot || (a.account > b.account ? -1 : 1))
    .map(({ account }) => account)
  const walked: unknown[] = []
  let cursor = ''
  for (;;) {
    const { body } = await under().get(`/api/v1/pairs?limit=7${cursor}`)
    t.true(body.data.length <= 7)
    walked.push(...body.data)
    if (body.next_cursor === null) break
    cursor = `&cursor=${body.next_cursor}`
  }
  t.deepEqual(walked, all)
  const whole = await under().get(`/api/v1/pairs?limit=${all.length}`)
  t.deepEqual(whole.body.data, all)
  t.is(whole.body.next_cursor, null)
  const { body } = await under().get('/api/v1/pairs?protocol=venue_4&limit=500')
  t.deepEqual(
    body.data as unknown[],
    all.filter((each) => byPool.get(each)!.at(-1)!.dex === 4),
  )
  t.true(body.data.length > 0)
})

test('an account of two mints is listed once', async (t) => {
  const twice = [mint(200), mint(201)].map((tokenAddress, n) => ({
    ...SWAPS[0]!,
    signature: `${SWAPS[0]!.signature.slice(0, -1)}${n + 2}`,
    pairAddress: pair(300),
    tokenAddress,
    timestamp: 1_000,
  }))
  const fresh = await apiUnderTest(t)
  await insertSwaps(fresh.db, twice)
  const { body } = await fresh.get('/api/v1/pairs')
  t.deepEqual(body.data as unknown[], [pair(300)])
})

test('lists an account once even if another of its mints appears during a walk', async (t) => {
  const fresh = await apiUnderTest(t)
  const swapOf = (account: number, token: number) => ({
    ...SWAPS[0]!,
    signature: signatureOf(8_000 + token),
    slot: 1_000 + token,
    pairAddress: pair(account),
    tokenAddress: mint(token),
  })
  for (const n of [400, 401, 402]) await insertSwaps(fresh.db, [swapOf(n, n)])
  for (const venue of ['', `&protocol=venue_${SWAPS[0]!.dex}`]) {
    const first = await fresh.get(`/api/v1/pairs?limit=1${venue}`)
    t.deepEqual(first.body.data as unknown[], [pair(402)])
    await insertSwaps(fresh.db, [swapOf(400, venue === '' ? 500 : 501)])
    const rest = await fresh.get(`/api/v1/pairs?cursor=${first.body.next_cursor}${venue}`)
    t.deepEqual(rest.body.data as unknown[], [pair(401), pair(400)])
  }
})

test('venues have their pools and the day, all ten of them', async (t) => {
  const { body } = await under().get('/api/v1/protocols')
  const expected = VENUES.map(({ name, dex, kind }) => {
    const day = inWindow(SWAPS, 1_440).filter((swap) => swap.dex === dex)
    const pools = [...byPool.values()].filter((own) => own[0]!.dex === dex)
    return {
      protocol: name,
      dex,
      kind,
      pools: pools.length,
      swaps_24h: day.length,
      volume_sol_24h: exactQuotient(volumeOf(day), LAMPORTS),
    }
  })
  t.deepEqual(body.data, expected)
  t.true(expected.filter(({ swaps_24h: swaps }) => swaps > 0).length > 7)
})

test('before the first swap there are venues and no pairs', async (t) => {
  const fresh = await apiUnderTest(t)
  const { body } = await fresh.get('/api/v1/protocols')
  t.is(body.data.length, VENUES.length)
  t.true(body.data.every((each) => each.pools === 0 && each.volume_sol_24h === 0))
  t.deepEqual((await fresh.get('/api/v1/pairs')).body.data, [])
  t.deepEqual((await fresh.get(`/api/v1/pairs?token_address=${mint(0)}`)).body.data, [])
})

const REFUSED: [string, RegExp][] = [
  ['token_address=no0pe', /token_address "no0pe": expected an address/],
  [`token_addresses=${mint(0)},x`, /token_addresses "x": expected an address/],
  ['token_addresses=', /token_addresses "": expected an address/],
  [
    `token_addresses=${Array.from({ length: 201 }, (_, n) => mint(n)).join()}`,
    /token_addresses: expected 1 to 200 values, not 201/,
  ],
  ['protocol=venue_99', /protocol "venue_99": use 1 to \d+, venue_1 to venue_\d+/],
  ['protocol=99', /protocol "99": use 1 to \d+/],
  ['limit=0', /limit "0": expected an integer of 1 to 500/],
  ['limit=501', /limit "501": expected an integer of 1 to 500/],
  ['cursor=abc', /cursor: expected the next_cursor/],
  [`token_address=${mint(0)}&cursor=garbage`, /cursor: expected the next_cursor/],
]

for (const [n, [query, message]] of REFUSED.entries()) {
  test(`pairs with ${query.slice(0, 40)} (${n}) are refused`, async (t) => {
    const { status, body } = await under().get(`/api/v1/pairs?${query}`)
    t.is(status, 400)
    t.like(body, { success: false, error: { code: 'INVALID_PARAM' } })
    t.regex((body.error as { message: string }).message, message)
  })
}

test('pairs and venues require a key', async (t) => {
  for (const path of ['/api/v1/pairs', '/api/v1/protocols']) {
    t.is((await under().call(path)).status, 401)
    const bearer = { Authorization: `Bearer ${under().key}` }
    t.is((await under().call(path, bearer)).status, 200)
  }
})
