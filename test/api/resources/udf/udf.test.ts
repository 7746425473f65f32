// The calls that a chart makes by TradingView's UDF protocol: config, time, search, symbols and history.
import test from 'ava'
import { BAR_RESOLUTIONS, timeframeOf } from '../../../../api/resources/udf/chart-format.ts'
import { widthOf } from '../../../../domain/time/timeframe.ts'
import { refreshSearchKeys } from '../../../../workers/search-keys.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf } from '../../../support/market/sample-swap.ts'

const under = apiForFile()
const MINUTE_MS = 60_000
const NEWEST_MS = Date.UTC(2026, 6, 20, 13, 7, 31, 250)
const SECOND = (ms: number): number => Math.floor(ms / 1_000)
/** Minutes before the newest in which the token trades: runs, and holes of hours and days. */
const AGES = [0, 1, 2, 5, 6, 61, 62, 300, 1_500, 1_501, 9_000]

type Candle = Record<'timestamp' | 'open' | 'high' | 'low' | 'close' | 'volume_sol', number>
type Bars = Record<'t' | 'o' | 'h' | 'l' | 'c' | 'v', number[]> & { s: string; nextTime?: number }

test.serial.before(async () => {
  const swaps = AGES.flatMap((age, n) =>
    [0, 1, 2].map((part) =>
      sampleSwap({
        signature: signatureOf(3 * n + part),
        slot: 1_000_000 - age * 150 + part,
        timestamp: NEWEST_MS - age * MINUTE_MS - (2 - part) * 5_000,
        tokenAddress: mint(0),
        pairAddress: pair(0),
        solAmount: 30_000_000 + 1_000_003 * n + part,
        tokenAmount: 70_000_000n,
      }),
    ),
  )
  const other = sampleSwap({
    signature: signatureOf(99),
    tokenAddress: mint(1),
    pairAddress: pair(1),
  })
  await insertSwaps(under().db, [...swaps, other], { hasPrices: true })
  await under().db.query("update token set symbol = 'EXA', name = 'Example' where address = $1", [
    mint(0),
  ])
  await refreshSearchKeys(under().db)
})

async function answerOf<Answer>(path: string): Promise<Answer> {
  const { status, body, text } = await under().get(path)
  if (status !== 200) throw new Error(`${path}: ${text}`)
  return body as unknown as Answer
}

test('config offers what the other routes serve', async (t) => {
  const config = await answerOf<Record<string, unknown>>('/udf/config')
  t.deepEqual(config.supported_resolutions, BAR_RESOLUTIONS)
  t.like(config, { supports_search: true, supports_group_request: false, supports_time: true })
})

test('time is a bare number of Unix seconds', async (t) => {
  const before = SECOND(Date.now())
  const { text } = await under().get('/udf/time')
  t.regex(text, /^\d+$/)
  t.true(Number(text) >= before && Number(text) <= SECOND(Date.now()))
})

test('a symbol is a mint or a pool, with the scale of its price', async (t) => {
  for (const ticker of [mint(0), pair(0)]) {
    const symbol = await answerOf<Record<string, unknown>>(`/udf/symbols?symbol=${ticker}`)
    const { data } = await answerOf<Record<'data', { price_sol: number }>>(
      `/stats/token/${mint(0)}`,
    )
    t.like(symbol, {
      name: 'EXA/SOL',
      ticker,
      description: 'Example',
      session: '24x7',
      timezone: 'Etc/UTC',
      minmov: 1,
      has_intraday: true,
    })
    const shown = data.price_sol * Number(symbol.pricescale)
    t.true(shown >= 10_000 && shown < 100_000, `${shown}`)
  }
  const unnamed = await answerOf<Record<string, unknown>>(`/udf/symbols?symbol=${mint(1)}`)
  t.is(unnamed.name, `${mint(1)}/SOL`)
})

test('search finds tokens and pools, by type and exchange', async (t) => {
  const found = await answerOf<Record<string, string>[]>('/udf/search?query=ex&limit=10')
  t.deepEqual(
    found.map(({ ticker, symbol, type, exchange }) => [ticker, symbol, type, exchange]),
    [[mint(0), 'EXA (Example)', 'crypto', 'Solana']],
  )
  const pools = await answerOf<Record<string, string>[]>(`/udf/search?query=${pair(1)}`)
  t.deepEqual(
    pools.map(({ ticker }) => ticker),
    [pair(1)],
  )
  for (const [filter, count] of [
    ['type=crypto&exchange=Solana', 1],
    ['type=&exchange=', 1],
    ['type=stock', 0],
    ['exchange=NYSE', 0],
  ] as const) {
    t.is((await answerOf<unknown[]>(`/udf/search?query=exa&${filter}`)).length, count, filter)
  }
})

for (const resolution of BAR_RESOLUTIONS) {
  test(`history of resolution ${resolution} has the candles of /api/v1/candles`, async (t) => {
    const timeframe = timeframeOf(resolution)
    const { data: candles } = await answerOf<Record<'data', Candle[]>>(
      `/api/v1/candles?token_address=${mint(0)}&timeframe=${timeframe}`,
    )
    t.true(candles.length > 1)
    const barsOf = (rows: readonly Candle[]): Bars => ({
      s: 'ok',
      t: rows.map(({ timestamp }) => timestamp / 1_000),
      o: rows.map(({ open }) => open),
      h: rows.map(({ high }) => high),
      l: rows.map(({ low }) => low),
      c: rows.map(({ close }) => close),
      v: rows.map(({ volume_sol }) => volume_sol),
    })
    const end = SECOND(candles.at(-1)!.timestamp + widthOf(timeframe))
    for (const symbol of [mint(0), pair(0)]) {
      const history = (from: number, to: number, more = ''): Promise<Bars> =>
        answerOf(
          `/udf/history?symbol=${symbol}&resolution=${resolution}&from=${from}&to=${to}${more}`,
        )
      t.deepEqual(await history(0, end), barsOf(candles))
      // Without the bar that begins at `to`, with the one that begins at `from`.
      const [second, last] = [candles[1]!, candles.at(-1)!]
      t.deepEqual(
        await history(SECOND(second.timestamp), SECOND(last.timestamp)),
        candles.length > 2
          ? barsOf(candles.slice(1, -1))
          : { ...barsOf([]), s: 'no_data', nextTime: SECOND(candles[0]!.timestamp) },
      )
      // The wanted number of bars, whatever `from` is.
      t.deepEqual(await history(end - 1, end, '&countback=2'), barsOf(candles.slice(-2)))
    }
  })
}

test('a range without bars names the newest before it, if there is one', async (t) => {
  const path = `/udf/history?symbol=${mint(0)}&resolution=1`
  const [from, to] = [SECOND(NEWEST_MS - 40 * MINUTE_MS), SECOND(NEWEST_MS - 20 * MINUTE_MS)]
  const older = NEWEST_MS - 61 * MINUTE_MS
  t.like(await answerOf<Bars>(`${path}&from=${from}&to=${to}`), {
    s: 'no_data',
    t: [],
    nextTime: SECOND(older - (older % MINUTE_MS)),
  })
  const none = await answerOf<Bars>(`${path}&from=0&to=60`)
  t.deepEqual([none.s, none.nextTime], ['no_data', undefined])
  t.is((await answerOf<Bars>(`${path}&from=0&to=0`)).s, 'no_data')
})

test('errors are those of the protocol, without a key those of the gateway', async (t) => {
  for (const [path, status, text] of [
    ['/udf/symbols', 400, /symbol is required/],
    ['/udf/symbols?symbol=abc', 400, /symbol "abc": expected an address/],
    [`/udf/symbols?symbol=${mint(77)}`, 404, /unknown symbol/],
    [`/udf/history?symbol=${mint(77)}&resolution=1&from=1&to=2`, 404, /unknown symbol/],
    [`/udf/history?symbol=${mint(0)}&resolution=7&from=1&to=2`, 400, /"7": use one of 1 5 15/],
    [`/udf/history?symbol=${mint(0)}&resolution=1&from=1`, 400, /to is required/],
    [`/udf/history?symbol=${mint(0)}&resolution=1&from=1&to=x`, 400, /to "x"/],
    [`/udf/history?symbol=${mint(0)}&resolution=1&from=9&to=2`, 400, /expected no later than/],
    [`/udf/history?symbol=${mint(0)}&resolution=1&from=1&to=2&countback=5001`, 400, /countback/],
    ['/udf/search?query=a&limit=0', 400, /limit "0"/],
    ['/udf/config?what=1', 400, /unknown parameter "what"/],
  ] as const) {
    const answer = await under().get(path)
    t.is(answer.status, status, path)
    t.is(answer.body.s as unknown, 'error', path)
    t.regex(String(answer.body.errmsg), text, path)
    t.deepEqual(Object.keys(answer.body), ['s', 'errmsg'])
  }
  const keyless = await fetch(`${under().api.url}/udf/config`)
  t.is(keyless.status, 401)
})
