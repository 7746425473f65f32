/**
 * Prices of a random market against the swaps themselves: rows, the price at a time with its swap, and the prices of now;
 * then REST against GraphQL, unknown tokens, refusals, and requests without a key.
 */
import test from 'ava'
import { executedPrice } from '../../../../domain/amount.ts'
import { compareSwaps, type Swap, setsPrice } from '../../../../domain/events/swap.ts'
import { DAY_MS, MINUTE_MS } from '../../../../domain/time/time-bucket.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { naiveTokenPrice } from '../../../simulation/models/price-model.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { randomMarket, TOKENS } from '../../../support/market/random-market.ts'
import { mint } from '../../../support/market/sample-swap.ts'
import { asker } from '../../graphql/send-query.ts'

const RATE = 200
const under = apiForFile({ solUsdFallback: RATE })
const SWAPS = randomMarket(new Prng([20_260_727]), 500)
const minuteOf = ({ timestamp }: Swap): number => Math.floor(timestamp / MINUTE_MS)
const priceOf = (swap: Swap): number =>
  executedPrice(swap.solAmount, swap.tokenAmount, swap.quoteDecimals)

test.serial.before(async () => {
  await insertSwaps(under().db, SWAPS, { hasPrices: true })
})

/** Canonically last of the newest minute with a priced swap at or before the time. */
function lastOf(swaps: readonly Swap[], atMs: number): Swap | undefined {
  const priced = swaps.filter((swap) => setsPrice(swap) && swap.timestamp <= atMs)
  const newest = Math.max(...priced.map(minuteOf))
  return priced
    .filter((swap) => minuteOf(swap) === newest)
    .sort(compareSwaps)
    .at(-1)
}

function naivePriceAt(token: string, atMs: number): Swap | undefined {
  const own = SWAPS.filter(({ tokenAddress }) => tokenAddress === token)
  const pools = Map.groupBy(own, ({ pairAddress }) => pairAddress)
  const priced = [...pools.values()].filter((swaps) => swaps.some(setsPrice))
  const endMs = (Math.floor(atMs / MINUTE_MS) + 1) * MINUTE_MS
  const traded = priced.flatMap((swaps) => {
    const within = swaps.filter(({ timestamp: at }) => at >= endMs - DAY_MS && at < endMs)
    const volume = within.reduce((sum, { solAmount }) => sum + BigInt(solAmount), 0n)
    return within.length === 0 ? [] : [{ swaps, volume, count: within.length }]
  })
  traded.sort(
    (a, b) =>
      Number(b.volume - a.volume) ||
      b.count - a.count ||
      (a.swaps[0]!.pairAddress < b.swaps[0]!.pairAddress ? -1 : 1),
  )
  const own_ = traded[0] && lastOf(traded[0].swaps, atMs)
  if (own_ !== undefined) return own_
  const ends = priced.flatMap((swaps) => lastOf(swaps, atMs) ?? [])
  return ends.sort((a, b) => minuteOf(b) - minuteOf(a) || b.slot - a.slot)[0]
}

test('the price at a time is that of the naive model, with its swap and age', async (t) => {
  let [found, missing] = [0, 0]
  const prng = new Prng([7])
  for (let n = 0; n < 60; n++) {
    const token = mint(prng.below(TOKENS))
    const { timestamp } = SWAPS[prng.below(SWAPS.length)] as Swap
    const atMs = timestamp + prng.below(3) * 45_000 - 20_000
    const { status, body } = await under().get(
      `/price/history/timestamp?token=${token}&timestamp=${atMs}`,
    )
    const swap = naivePriceAt(token, atMs)
    if (swap === undefined) {
      t.is(status, 404, `${token} ${atMs}`)
      missing++
      continue
    }
    t.deepEqual(body as object, {
      token,
      timestamp: atMs,
      price_sol: priceOf(swap),
      ts_ms: swap.timestamp,
      age_ms: atMs - swap.timestamp,
      signature: swap.signature,
      slot: swap.slot,
      pair_address: swap.pairAddress,
    })
    found++
  }
  t.true(found > 20, `${found} found, ${missing} missing`)
})

test('rows are the candles of the top pool, the newest limit up to to', async (t) => {
  for (const resolution of ['1m', '5m', '1h', '1d']) {
    const path = `token=${mint(0)}&resolution=${resolution}`
    const { body } = await under().get(`/price/history?${path}&limit=1000`)
    const rows = body.rows as { ts_ms: number; close: number; volume_sol: number }[]
    const candles = await under().get(
      `/api/v1/candles?token_address=${mint(0)}&timeframe=${resolution}&limit=1000`,
    )
    t.true(rows.length > 0)
    t.deepEqual(
      rows as unknown[],
      candles.body.data.map(({ timestamp: ts_ms, open, high, low, close, volume_sol }) => ({
        ...{ ts_ms, open, high, low, close, volume_sol },
      })),
    )
    const middle = rows[Math.floor(rows.length / 2)]!.ts_ms
    const { body: page } = await under().get(`/price/history?${path}&limit=2&to=${middle}`)
    t.deepEqual(page.rows as unknown[], rows.filter(({ ts_ms }) => ts_ms <= middle).slice(-2))
  }
  const { body } = await under().get(`/price/history?token=${mint(999)}`)
  t.deepEqual(body as object, {
    ...{ token: mint(999), pair_address: null, resolution: '1m', rows: [] },
  })
})

test('prices of now are those of the naive model; one without a price is absent', async (t) => {
  const mints = Array.from({ length: TOKENS + 2 }, (_, n) => mint(n))
  const { body } = await under().get(`/price/multi?tokens=${mints.join()}`)
  const expected = mints.flatMap((token) => {
    const priced = naiveTokenPrice(SWAPS, token)
    if (priced === undefined) return []
    const { price, price_ms: ts_ms } = priced
    return [[token, { price_sol: price, price_usd: price * RATE, ts_ms }] as const]
  })
  t.deepEqual(body.prices, Object.fromEntries(expected))
  t.true(expected.length > 3)
})

test('GraphQL answers the same', async (t) => {
  const { send } = await asker(under())
  const atMs = SWAPS[250]!.timestamp + 60_000
  const token = SWAPS[250]!.tokenAddress
  const { data, errors } = await send(`{
    priceHistory(token: "${token}", limit: 3) { token pair_address resolution rows { ts_ms open high low close volume_sol } }
    priceAt(token: "${token}", timestamp: "${atMs}") { token timestamp price_sol ts_ms age_ms signature slot pair_address }
    prices(tokens: ["${token}"]) { prices { key value { price_sol price_usd ts_ms } } }
  }`)
  t.is(errors, undefined)
  const rest = async (path: string) => (await under().get(path)).body
  t.deepEqual(data?.priceHistory, await rest(`/price/history?token=${token}&limit=3`))
  t.deepEqual(
    data?.priceAt,
    await rest(`/price/history/timestamp?token=${token}&timestamp=${atMs}`),
  )
  const { prices } = await rest(`/price/multi?tokens=${token}`)
  const entries = Object.entries(prices as object).map(([key, value]) => ({ key, value }))
  t.deepEqual(data?.prices, { prices: entries })
})

test('refuses bad parameters and requests without a key', async (t) => {
  const many = Array.from({ length: 201 }, (_, n) => mint(n)).join()
  for (const [path, text] of [
    ['/price/history', /token is required/],
    [`/price/history?token=${mint(0)}&resolution=15m`, /resolution .*15m.*: use one of/],
    [
      `/price/history?token=${mint(0)}&limit=1001`,
      /limit .*1001.*: expected an integer of 1 to 1000/,
    ],
    [`/price/history/timestamp?token=${mint(0)}`, /timestamp is required/],
    [
      `/price/history/timestamp?token=x&timestamp=1785000000000`,
      /token .*x.*: expected an address/,
    ],
    [`/price/history/timestamp?token=${mint(0)}&timestamp=1785000000`, /seconds/],
    ['/price/multi', /tokens is required/],
    [`/price/multi?tokens=${many}`, /tokens: expected 1 to 200 values, not 201/],
  ] as const) {
    const { status, text: body } = await under().get(path)
    t.is(status, 400, path)
    t.regex(body, text)
    t.is((await under().call(path)).status, 401, path)
  }
})
