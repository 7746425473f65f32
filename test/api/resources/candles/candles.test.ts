/**
 * The routes of candles against the naive model, in random markets of pools that trade in few minutes of
 * some days: every timeframe, range, limit and fill.
 */
import test from 'ava'
import { exactOf, type Int64 } from '../../../../domain/amount.ts'
import type { Swap } from '../../../../domain/events/swap.ts'
import { parseExact } from '../../../../domain/text/exact-json.ts'
import { COUNTED_WIDTHS_MS, type Timeframe } from '../../../../domain/time/timeframe.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { type NaiveCandle, naiveCandles } from '../../../simulation/models/candle-model.ts'
import { exactQuotient } from '../../../simulation/models/exact.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../../support/market/sample-swap.ts'

const NEWEST_MS = Date.UTC(2026, 6, 20, 13, 7, 31, 250)
const MINUTE = 60_000
const WIDTHS = {
  '1m': MINUTE,
  '5m': 5 * MINUTE,
  '15m': 15 * MINUTE,
  '1h': 60 * MINUTE,
  '4h': 240 * MINUTE,
  '1d': 1_440 * MINUTE,
} as const satisfies Record<Timeframe, number>
const TIMEFRAMES = Object.keys(WIDTHS) as Timeframe[]
/** Mint 0 has pools 0 and 1; mint 1 has 2, which dust alone trades, and 3, which fell silent long ago. */
const POOLS = 4
const mintOf = (pool: number): string => mint(pool < 2 ? 0 : 1)

const under = apiForFile()
const prng = new Prng([20_260_720])
const one = <Value>(values: readonly Value[]): Value => values[prng.below(values.length)]!

/** Minutes before the newest: runs, holes of an hour and of days. */
const AGES = [0, 0, 1, 2, 3, 4, 9, 14, 16, 70, 71, 100, 300, 1_440, 1_441, 5_000, 11_000]

const SWAPS: Swap[] = Array.from({ length: 240 }, (_, n) => {
  const pool = n % POOLS
  const age = one(AGES) + (pool === 3 ? 20_000 : 0)
  return sampleSwap({
    signature: signatureOf(n),
    slot: 10_000_000 - age * 150 + prng.below(100),
    ixIndex: prng.below(3),
    timestamp: NEWEST_MS - age * MINUTE - prng.below(40_000),
    tokenAddress: mintOf(pool),
    pairAddress: pair(pool),
    solAmount: pool === 2 ? 9_999 : one([1, 9_999, 20_000, 30_000_000, 2n ** 62n]),
    tokenAmount: one([9_999, 10_000, 70_001, 2n ** 60n]),
    quoteDecimals: 6,
    agentTrade: one([0, 0, 0, 0, 2]),
    isBuy: prng.chance(0.5),
    user: trader(prng.below(5)),
  })
})

test.serial.before(async () => {
  // The newest of all is of another token: windows and fill end with it.
  const newest = sampleSwap({
    signature: signatureOf(999),
    slot: 10_000_500,
    timestamp: NEWEST_MS,
    tokenAddress: mint(9),
    pairAddress: pair(9),
  })
  // In three batches of which the later ones hold late swaps.
  const parts = Map.groupBy([...SWAPS, newest], () => prng.below(3))
  for (const part of parts.values()) await insertSwaps(under().db, part, { hasPrices: true })
})

const bucketOf = (ms: number, width: number): number => ms - (ms % width)
const swapsOf = (pool: number): Swap[] =>
  SWAPS.filter(({ pairAddress }) => pairAddress === pair(pool))

const namesOf = (pool: number) => ({
  pair_address: pair(pool),
  token_address: mintOf(pool),
})

type Requested = { from?: number; to?: number; limit?: number; fill?: boolean }
type Answered = {
  timestamp: number
  pair_address: string
  token_address: string
  timeframe: Timeframe
  open: number
  high: number
  low: number
  close: number
  volume_sol: number
  volume_token: Int64
  volume_lamports: Int64
  trade_count: number
  buy_count: number
  sell_count: number
  unique_traders: number | null
}

function expected(pool: number, timeframe: Timeframe, requested: Requested): Answered[] {
  const width = WIDTHS[timeframe]
  const all = naiveCandles(swapsOf(pool), width)
  const from = requested.from === undefined ? 0 : bucketOf(requested.from, width)
  const to = bucketOf(requested.to ?? NEWEST_MS, width)
  const rows = requested.fill === true ? filled(all, from, to, width) : all
  return rows
    .filter(({ bucketMs, open }) => open !== null && bucketMs >= from && bucketMs <= to)
    .slice(-(requested.limit ?? 500))
    .map(({ bucketMs, open, high, low, close, volume, units, trades, buys, traders }) => ({
      timestamp: bucketMs,
      ...namesOf(pool),
      timeframe,
      open: open!,
      high: high!,
      low: low!,
      close: close!,
      volume_sol: exactQuotient(volume, 1_000_000_000n),
      volume_token: exactOf(`${units}`),
      volume_lamports: exactOf(`${volume}`),
      trade_count: trades,
      buy_count: buys,
      sell_count: trades - buys,
      // A bucket without a trade has no traders, at any width.
      unique_traders: traders === 0 || COUNTED_WIDTHS_MS.includes(width) ? traders : null,
    }))
}

/** Bucket by bucket from the first price on. */
function filled(all: NaiveCandle[], from: number, to: number, width: number): NaiveCandle[] {
  const priced = all.filter(({ open }) => open !== null)
  const [first] = priced
  if (first === undefined) return []
  const rows: NaiveCandle[] = []
  for (let bucketMs = Math.max(first.bucketMs, from); bucketMs <= to; bucketMs += width) {
    const own = all.find((candle) => candle.bucketMs === bucketMs)
    if (own?.open != null) rows.push(own)
    else {
      const close = priced.filter((candle) => candle.bucketMs < bucketMs).at(-1)!.close
      const { volume = 0n, units = 0n, trades = 0, buys = 0, traders = 0 } = own ?? {}
      const prices = { open: close, high: close, low: close, close }
      rows.push({ bucketMs, ...prices, volume, units, trades, buys, traders })
    }
  }
  return rows
}

function queryOf(requested: Record<string, unknown>): string {
  return Object.entries(requested)
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

async function candlesOf(requested: Record<string, unknown>): Promise<Answered[]> {
  const { status, text } = await under().get(`/api/v1/candles?${queryOf(requested)}`)
  if (status !== 200) throw new Error(text)
  return (parseExact(text) as Record<'data', Answered[]>).data
}

for (const timeframe of TIMEFRAMES) {
  test.serial(
    `candles of ${timeframe} are the merge of their minutes for any request`,
    async (t) => {
      const width = WIDTHS[timeframe]
      const at = () => NEWEST_MS - one(AGES) * MINUTE - prng.below(width)
      let seen = 0
      for (let run = 0; run < 24; run++) {
        const [a, b] = [at(), at()]
        const requested: Requested = {
          ...(prng.chance(0.6) ? { from: Math.min(a, b) } : {}),
          ...(prng.chance(0.6) ? { to: Math.max(a, b) + (prng.chance(0.2) ? 9 * width : 0) } : {}),
          ...(prng.chance(0.6) ? { limit: one([1, 2, 3, 40, 5_000]) } : {}),
          ...(prng.chance(0.5) ? { fill: true } : {}),
        }
        const pool = run % POOLS
        const found = await candlesOf({ pair_address: pair(pool), timeframe, ...requested })
        t.deepEqual(
          found,
          expected(pool, timeframe, requested),
          `pool ${pool} ${JSON.stringify(requested)}`,
        )
        seen += found.length
      }
      t.true(seen > 15, 'there were candles to compare')
    },
  )

  test.serial(`the latest candle of ${timeframe} is the newest with a price`, async (t) => {
    for (let pool = 0; pool < POOLS; pool++) {
      const query = queryOf({ pair_address: pair(pool), timeframe })
      const { text } = await under().get(`/api/v1/candles/latest?${query}`)
      const latest = expected(pool, timeframe, { to: NEWEST_MS }).at(-1) ?? null
      const shown = { ...namesOf(pool), chosen_by: 'pair_address', since: null }
      t.deepEqual(parseExact(text), { success: true, data: latest, pool: shown })
    }
  })
}

/** By volume, then trades, then address; undefined where no pool with a price traded. */
function busiest(pools: readonly number[], from: number, to: number): number | undefined {
  const ranked = pools
    .filter((pool) => expected(pool, '1m', { limit: 5_000 }).length > 0)
    .map((pool) => {
      const own = swapsOf(pool).filter(({ timestamp }) => timestamp >= from && timestamp < to)
      return { pool, volume: own.reduce((sum, swap) => sum + BigInt(swap.solAmount), 0n), own }
    })
    .filter(({ own }) => own.length > 0)
    .sort(
      (a, b) =>
        Number(b.volume > a.volume) - Number(b.volume < a.volume) ||
        b.own.length - a.own.length ||
        (pair(a.pool) < pair(b.pool) ? -1 : 1),
    )
  return ranked[0]?.pool
}

const DAY_FROM_MS = bucketOf(NEWEST_MS, MINUTE) - 1_439 * MINUTE
/** The day's busiest, else the one that traded last. */
const topPool = (pools: readonly number[]): number =>
  busiest(pools, DAY_FROM_MS, Number.MAX_SAFE_INTEGER) ?? pools.at(-1)!

test.serial(
  'by token it is the pool with the largest volume of the range, else the top pool',
  async (t) => {
    const chosen = new Set<string>()
    for (let run = 0; run < 60; run++) {
      const pools = one([
        [0, 1],
        [2, 3],
      ])
      const token = mintOf(pools[0]!)
      const timeframe = one(TIMEFRAMES)
      const width = WIDTHS[timeframe]
      const from = NEWEST_MS - one(AGES) * MINUTE - prng.below(5 * MINUTE)
      const to = Math.min(NEWEST_MS, from + one([0, 70_000, 20 * MINUTE, 600 * MINUTE]))
      const end = bucketOf(to, width) + width
      const ranged = busiest(pools, bucketOf(from, width), end) ?? topPool(pools)
      chosen.add(`${ranged} ${topPool(pools)}`)
      t.deepEqual(
        await candlesOf({ token_address: token, timeframe, from, to }),
        expected(ranged, timeframe, { from, to }),
      )
      t.deepEqual(
        await candlesOf({ token_address: token, timeframe, from }),
        expected(topPool(pools), timeframe, { from }),
      )
    }
    t.true(chosen.has('0 1') || chosen.has('1 0'), 'the two rules chose differently')
  },
)

test.serial('a range of a token is one candle of its candles with a price', async (t) => {
  let empty = 0
  for (let run = 0; run < 60; run++) {
    const pools = one([
      [0, 1],
      [2, 3],
    ])
    const resolution = one(['1m', '5m', '1h', '1d'] as const)
    const width = WIDTHS[resolution]
    const from = NEWEST_MS - one(AGES) * MINUTE - prng.below(5 * MINUTE)
    const to = from + one([0, 70_000, 20 * MINUTE, 600 * MINUTE])
    const [first, end] = [bucketOf(from, width), bucketOf(to, width) + width]
    const pool = busiest(pools, first, end) ?? topPool(pools)
    const candles = naiveCandles(swapsOf(pool), width).filter(
      ({ bucketMs, open }) => bucketMs >= first && bucketMs < end && open !== null,
    )
    if (candles.length === 0) empty += 1
    const query = queryOf({ token_address: mintOf(pools[0]!), from, to, resolution })
    const { status, body } = await under().get(`/price/history/range?${query}`)
    t.is(status, 200)
    t.deepEqual(body as Record<string, unknown>, {
      from_ts: from,
      to_ts: to,
      open: candles[0]?.open ?? null,
      high: candles.length === 0 ? null : Math.max(...candles.map(({ high }) => high!)),
      low: candles.length === 0 ? null : Math.min(...candles.map(({ low }) => low!)),
      close: candles.at(-1)?.close ?? null,
      volume_sol: exactQuotient(
        candles.reduce((sum, { volume }) => sum + volume, 0n),
        1_000_000_000n,
      ),
      sample_count: candles.length,
      pair_address: pair(pool),
    })
  }
  t.true(empty > 2)
})

test.serial('returns no candles for an unknown pool or token', async (t) => {
  t.deepEqual(await candlesOf({ pair_address: trader(1) }), [])
  t.deepEqual(await candlesOf({ token_address: trader(1), from: 0, to: NEWEST_MS, fill: true }), [])
  const { body } = await under().get(`/api/v1/candles/latest?token_address=${trader(1)}`)
  t.deepEqual(body, { success: true, data: null, pool: null } as never)
  const { body: range } = await under().get(
    `/price/history/range?token=${trader(1)}&from=100000000005&to=100000060004`,
  )
  const none = { open: null, high: null, low: null, close: null, volume_sol: 0, sample_count: 0 }
  const times = { from_ts: 100_000_000_005, to_ts: 100_000_060_004 }
  t.deepEqual(range as Record<string, unknown>, { ...times, ...none, pair_address: null })
})

test.serial('a pool and a mint that do not belong together have no candles', async (t) => {
  t.deepEqual(await candlesOf({ pair_address: pair(0), token_address: mint(1) }), [])
  t.true((await candlesOf({ pair_address: pair(0), token_address: mint(0) })).length > 0)
})

test.serial(
  'over 10,000 candles are refused before anything is read, 10,000 are not',
  async (t) => {
    const path = `/price/history/range?token=${mint(0)}`
    // ceil((to - from + 1) / 60000) is 10,000 up to a span of 600,000,000 ms.
    t.is((await under().get(`${path}&from=100000000001&to=100600000000`)).status, 200)
    const { status, body } = await under().get(`${path}&from=100000000001&to=100600000001`)
    t.is(status, 400)
    t.like(body, { success: false, error: { code: 'INVALID_PARAM' } })
    t.regex(
      (body.error as unknown as { message: string }).message,
      /10001 candles of 1m: .*at most 10000/,
    )
    t.is((await under().get(`${path}&from=100000000001&to=100600000001&resolution=5m`)).status, 200)
    t.is((await under().get(`${path}&from=0&to=8640000000000000&resolution=1d`)).status, 400)
  },
)

test.serial('a to in the future is carried to with fill, up to the end of time', async (t) => {
  const end = 8_640_000_000_000_000
  for (const [n, timeframe] of TIMEFRAMES.entries()) {
    const width = WIDTHS[timeframe]
    const requested = { pair_address: pair(0), timeframe, to: end }
    t.deepEqual(await candlesOf({ ...requested, fill: false }), expected(0, timeframe, {}))
    const found = await candlesOf({ ...requested, fill: true, limit: n + 1 })
    const [{ close = 0 } = {}] = expected(0, timeframe, {}).slice(-1)
    const prices = { open: close, high: close, low: close, close }
    const sides = { buy_count: 0, sell_count: 0, unique_traders: 0 }
    const volumes = { volume_sol: 0, volume_token: 0, volume_lamports: 0 }
    const carried = { ...prices, ...volumes, trade_count: 0, ...sides }
    t.deepEqual(
      found,
      Array.from({ length: n + 1 }, (_, back) => ({
        timestamp: bucketOf(end, width) - (n - back) * width,
        ...namesOf(0),
        timeframe,
        ...carried,
      })),
    )
  }
})

test.serial('refuses a time beyond that, and reports the limit', async (t) => {
  const ranged = `/price/history/range?token=${mint(0)}&resolution=1d`
  const candles = `/api/v1/candles?pair_address=${pair(0)}&fill`
  for (const beyond of ['8640000000000001', '9007199254740993', '9223372036854775807']) {
    for (const path of [`${candles}=1`, `${candles}=0`, `${ranged}&from=8639999999999999`]) {
      const { status, body } = await under().get(`${path}&to=${beyond}`)
      t.is(status, 400, path)
      const text = `to "${beyond}": expected an integer of 0 to 8640000000000000`
      t.deepEqual(body.error, { code: 'INVALID_PARAM', message: text })
    }
  }
  t.is((await under().get(`${ranged}&from=8639999999999999&to=8640000000000000`)).status, 200)
})
