/**
 * Token statistics against sums over all swaps of random markets that arrived in parts, out of order; then unknown
 * mints, refusals, and requests without a key.
 */
import test from 'ava'
import type { Swap } from '../../../../domain/events/swap.ts'
import { USDC } from '../../../../domain/quote-mint.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { exactQuotient } from '../../../simulation/models/exact.ts'
import { naiveDecimals, naiveTokenPrice } from '../../../simulation/models/price-model.ts'
import { type ApiUnderTest, apiForFile, apiUnderTest } from '../../../support/api/api-under-test.ts'
import { recountAll } from '../../../support/api/insert-ranking.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { NEWEST_MS, randomMarket, TOKENS } from '../../../support/market/random-market.ts'
import { mint, pair, sampleSwap, signatureOf } from '../../../support/market/sample-swap.ts'
import { LAMPORTS, naiveWindow } from '../../../support/market/window-model.ts'

const under = apiForFile({ solUsdFallback: 200 })
const prng = new Prng([20_260_722])
const SWAPS = randomMarket(prng, 500)
const SUPPLY = 123_456_789_012n
const MINUTE_MS = 60_000

async function fill(api: ApiUnderTest, swaps: readonly Swap[], parts: number): Promise<void> {
  for (const part of Map.groupBy(swaps, () => prng.below(parts)).values()) {
    await insertSwaps(api.db, part, { hasPrices: true })
  }
  await recountAll(api.db)
}

test.serial.before(async () => {
  await fill(under(), SWAPS, 5)
  await under().db.query(
    "update token set supply = $2, decimals = 11, symbol = 'ONE', name = 'First' where address = $1",
    [mint(1), SUPPLY],
  )
})

const ownOf = (swaps: readonly Swap[], token: string): Swap[] =>
  swaps.filter(({ tokenAddress }) => tokenAddress === token)

/** The moment after the minute of the newest swap of all. */
function endOf(swaps: readonly Swap[]): number {
  const newest = Math.max(...swaps.map(({ timestamp }) => timestamp))
  return (Math.floor(newest / MINUTE_MS) + 1) * MINUTE_MS
}

function expected(swaps: readonly Swap[], token: string) {
  const own = ownOf(swaps, token)
  const priced = naiveTokenPrice(swaps, token)
  const price = priced?.price ?? null
  const pool = own
    .filter(({ pairAddress }) => pairAddress === priced?.pair)
    .sort((a, b) => a.slot - b.slot || a.ixIndex - b.ixIndex)
  const top = priced === undefined ? undefined : pool.at(-1)!
  const isNamed = token === mint(1)
  const unit = 10n ** BigInt(naiveDecimals(swaps, token) ?? 0)
  const cap = isNamed && price !== null ? price * exactQuotient(SUPPLY, unit) : null
  const reserve = top?.dex === 10 ? 0n : 2n * BigInt(top?.realSolReserves ?? 0)
  const liquidity = top === undefined ? null : exactQuotient(reserve, LAMPORTS)
  const inUsd = (sol: number | null) => (sol === null ? null : sol * 200)
  return {
    mint: token,
    symbol: isNamed ? 'ONE' : null,
    name: isNamed ? 'First' : null,
    decimals: naiveDecimals(swaps, token) ?? null,
    price_sol: price,
    price_usd: inUsd(price),
    price_timestamp: priced?.price_ms ?? null,
    market_cap_sol: cap,
    market_cap_usd: inUsd(cap),
    liquidity_sol: liquidity,
    liquidity_usd: inUsd(liquidity),
    top_pair: priced?.pair ?? null,
    first_seen: Math.min(...own.map(({ timestamp }) => timestamp)),
    windows_end: naiveWindow(own, 1_440).trades === 0 ? null : endOf(swaps),
    windows: {
      '5m': naiveWindow(own, 5),
      '1h': naiveWindow(own, 60),
      '6h': naiveWindow(own, 360),
      '24h': naiveWindow(own, 1_440),
    },
  }
}

test('a token has the figures of its swaps in any order of arrival', async (t) => {
  let changed = 0
  for (let token = 0; token < TOKENS; token++) {
    const { status, body } = await under().get(`/stats/token/${mint(token)}`)
    t.is(status, 200)
    const figures = expected(SWAPS, mint(token))
    t.deepEqual(body.data as unknown, figures)
    if ((figures.windows['24h'].change_pct ?? 0) !== 0) changed += 1
  }
  t.true(changed > 3, 'prices moved')
})

test('random small markets, in any order', async (t) => {
  for (let run = 0; run < 4; run++) {
    const swaps = randomMarket(prng, 40)
    const fresh = await apiUnderTest(t, { solUsdFallback: 200 })
    await fill(fresh, swaps, 3)
    const known = [...new Set(swaps.map(({ tokenAddress }) => tokenAddress))]
    const { body } = await fresh.get(`/stats/tokens?mints=${known.join()}`)
    const wanted = known.map((each) => {
      // Only the other market has names.
      const figures = expected(swaps, each)
      const unnamed = { symbol: null, name: null, decimals: naiveDecimals(swaps, each) }
      return [each, { ...figures, ...unnamed, market_cap_sol: null, market_cap_usd: null }]
    })
    t.deepEqual(body.stats as unknown, Object.fromEntries(wanted))
  }
})

test('many tokens are keyed by mint, the unknown ones absent', async (t) => {
  const requested = [mint(3), mint(0), mint(4_000), mint(3)]
  const { status, body } = await under().get(`/stats/tokens?mints=${requested.join()}`)
  t.is(status, 200)
  t.deepEqual(body as unknown, {
    stats: { [mint(0)]: expected(SWAPS, mint(0)), [mint(3)]: expected(SWAPS, mint(3)) },
  })
  const most = Array.from({ length: 200 }, (_, n) => mint(n)).join()
  const all = await under().get(`/stats/tokens?mints=${most}`)
  t.is(Object.keys(all.body.stats as object).length, TOKENS + 1)
})

test('windows begin with a whole minute', async (t) => {
  const fresh = await apiUnderTest(t)
  const minute = NEWEST_MS - (NEWEST_MS % 60_000)
  const at = (timestamp: number, n: number) =>
    sampleSwap({ signature: signatureOf(n), slot: 100 + n, timestamp, tokenAddress: mint(0) })
  const firsts = [5, 60, 360, 1_440].flatMap((minutes, n) => {
    const first = minute - (minutes - 1) * 60_000
    return [at(first - 1, 2 * n), at(first, 2 * n + 1)]
  })
  await insertSwaps(fresh.db, [...firsts, at(NEWEST_MS, 99)], { hasPrices: true })
  await recountAll(fresh.db)
  const { body } = await fresh.get(`/stats/token/${mint(0)}`)
  const { windows } = body.data as unknown as { windows: Record<string, { trades: number }> }
  t.deepEqual(
    Object.entries(windows).map(([name, { trades }]) => [name, trades]),
    [
      ['5m', 2],
      ['1h', 4],
      ['6h', 6],
      ['24h', 8],
    ],
  )
})

test('scales a supply by the decimals of the swaps, even if the token line has others', async (t) => {
  const fresh = await apiUnderTest(t)
  const swaps = [0, 1, 2].map((n) =>
    sampleSwap({
      signature: signatureOf(n),
      slot: 100 + 60_000 * n,
      pairAddress: pair(n),
      tokenAddress: mint(n),
      solAmount: 2_000_000_000,
      tokenAmount: 1_000_000_000,
      quoteDecimals: 3 * n,
    }),
  )
  await insertSwaps(fresh.db, swaps, { hasPrices: true })
  // The line of token 1 has others; token 3 has none.
  await fresh.db.query('insert into token (address) values ($1)', [mint(3)])
  await fresh.db.query('update token set supply = 5000000000')
  await fresh.db.query('update token set decimals = 9 where address = $1', [mint(1)])
  const requested = [0, 1, 2, 3].map(mint)
  const { body } = await fresh.get(`/stats/tokens?mints=${requested.join()}`)
  const stats = body.stats as Record<string, Record<string, number | null>>
  t.deepEqual(
    requested.map((each) => [stats[each]?.decimals, stats[each]?.market_cap_sol]),
    // 2 lamports a base unit, 5e9 base units.
    [
      [0, 10],
      [3, 10],
      [6, 10],
      [null, null],
    ],
  )
})

test('a token without a trade has no price and empty windows', async (t) => {
  const fresh = await apiUnderTest(t)
  await fresh.db.query("insert into token (address, symbol) values ($1, 'NEW')", [mint(0)])
  const { status, body } = await fresh.get(`/stats/token/${mint(0)}`)
  t.is(status, 200)
  t.like(body.data, { symbol: 'NEW', price_sol: null, top_pair: null, first_seen: null } as never)
})

test('pools that migrated lately have more SOL than they report', async (t) => {
  const fresh = await apiUnderTest(t)
  const swaps = [0, 1].map((n) =>
    sampleSwap({
      signature: signatureOf(n),
      dex: 2,
      pairAddress: pair(n),
      tokenAddress: mint(n),
      realSolReserves: 1_000_000_000,
    }),
  )
  await insertSwaps(fresh.db, swaps, { hasPrices: true })
  const migrated = [Date.UTC(2026, 6, 15) - 1, Date.UTC(2026, 6, 15)]
  for (const [n, at] of migrated.entries()) {
    await fresh.db.query('update pool set migrated_at_ms = $2 where pair_address = $1', [
      pair(n),
      at,
    ])
  }
  const of = async (n: number) =>
    (await fresh.get(`/stats/token/${mint(n)}`)).body.data as unknown as { liquidity_sol: number }
  t.is((await of(0)).liquidity_sol, 2)
  t.is((await of(1)).liquidity_sol, 37.16)
})

const REFUSED: [string, number, string, RegExp][] = [
  ['/stats/token/no0pe', 400, 'INVALID_PARAM', /mint "no0pe": expected an address/],
  [`/stats/token/${USDC}`, 404, 'NOT_FOUND', /no indexed token/],
  ['/stats/tokens', 400, 'MISSING_PARAM', /mints is required/],
  ['/stats/tokens?mints=x', 400, 'INVALID_PARAM', /"x": expected an address/],
  [
    `/stats/tokens?mints=${Array.from({ length: 201 }, (_, n) => mint(n)).join()}`,
    400,
    'INVALID_PARAM',
    /expected 1 to 200 values, not 201/,
  ],
]

for (const [path, status, code, message] of REFUSED) {
  test(`${path.slice(0, 60)} is ${status}`, async (t) => {
    const answer = await under().get(path)
    t.is(answer.status, status)
    t.like(answer.body, { success: false, error: { code } })
    t.regex((answer.body.error as { message: string }).message, message)
  })
}

test('statistics require a key', async (t) => {
  for (const path of [`/stats/token/${mint(0)}`, `/stats/tokens?mints=${mint(0)}`]) {
    t.is((await under().call(path)).status, 401)
  }
})
