// Candles written straight out of texts against the same as rows, through the writer of the schema: byte for
// byte. First texts as PostgreSQL would print them, then doubles of all kinds that it prints itself.

import test from 'ava'
import fc from 'fast-check'
import type { Page } from '../../../../api/resources/candles/candle-lines.ts'
import {
  type CandleRow,
  isPriced,
  type PricedRow,
} from '../../../../api/resources/candles/candle-lines.ts'
import { type FilledRange, writeCandles } from '../../../../api/resources/candles/candle-text.ts'
import { presentCandle } from '../../../../api/resources/candles/present.ts'
import { candles as schema } from '../../../../api/resources/candles/schema.ts'
import { writerOf } from '../../../../api/routing/json.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { insertSwaps } from '../../../support/api/insert-swaps.ts'
import { pair, sampleSwap } from '../../../support/market/sample-swap.ts'

const write = writerOf(schema)
const WIDTH = 60_000
const TIMEFRAME = '1m'
const FIRST = 1_757_000_040_000
const POOL = {
  pair_address: pair(0),
  token_address: sampleSwap().tokenAddress,
  chosen_by: 'pair_address' as const,
  since: null,
}
const under = apiForFile()

/** A double as PostgreSQL prints it: the digits are JavaScript's, the layout its own. */
function printed(double: number): string {
  const [digits = '', sign = '', exponent = ''] = double.toExponential().split(/e([+-])/)
  const isScaled = double !== 0 && (double >= 1e15 || double < 1e-4)
  return isScaled ? `${digits}e${sign}${exponent.padStart(2, '0')}` : String(double)
}

function pagesOf(rows: readonly CandleRow[]): Page[] {
  if (rows.length === 0) return []
  const lines = rows.map((row) => {
    const { bucket_ms, volume_lamports, volume_units, trade_count, buy_count, trader_count } = row
    const sums = [
      volume_lamports,
      volume_units ?? '-',
      trade_count,
      buy_count ?? '-',
      trader_count ?? '-',
    ]
    const prices = [row.open, row.high, row.low, row.close].filter((price) => price !== null)
    return [bucket_ms, ...sums, ...prices.map(printed)].join(' ')
  })
  return [{ candles: rows.length, lines: lines.reverse().join('\n') }]
}

const NOBODY = { buy_count: 0, trader_count: 0 }
const NO_TRADES = { volume_lamports: '0', volume_units: '0', trade_count: 0, ...NOBODY }

/** Bucket by bucket, through rows. */
function filledRows(rows: readonly CandleRow[], { first, last, widthMs, carried }: FilledRange) {
  const filled: PricedRow[] = []
  let close = carried
  for (let bucket_ms = first; bucket_ms <= last; bucket_ms += widthMs) {
    const row = rows.find((each) => each.bucket_ms === bucket_ms)
    if (row !== undefined && isPriced(row)) {
      filled.push(row)
      close = row.close
    } else if (close !== undefined) {
      const prices = { open: close, high: close, low: close, close }
      filled.push({ ...NO_TRADES, ...row, bucket_ms, ...prices })
    }
  }
  return filled
}

const written = (rows: readonly PricedRow[]): string =>
  write({ success: true, data: rows.map((row) => presentCandle(row, POOL, TIMEFRAME)), pool: POOL })

const price = fc.oneof(
  fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: 1e-9, max: 1e-3, noNaN: true }),
  fc.constantFrom(0, 5e-324, 1e-7, 1e-6, 9.999999e-5, 1e-4, 1e15, 1e21, 1e22, 1e300),
)
const lamports = fc.oneof(
  fc.bigInt(0n, 10n ** 24n),
  fc.integer({ min: 0, max: 20_000 }).map(BigInt),
  fc
    .tuple(fc.bigInt(1n, 9_999n), fc.integer({ min: 0, max: 15 }))
    .map(([a, b]) => a * 10n ** BigInt(b)),
)
const row = fc.record({
  minute: fc.integer({ min: 0, max: 40 }),
  prices: fc.option(fc.tuple(price, price, price, price), { freq: 4 }),
  lamports,
  units: fc.option(lamports),
  trade_count: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  sells: fc.option(fc.nat(9)),
  trader_count: fc.option(fc.nat(2 ** 31 - 1)),
})
const rowsOf = fc
  .uniqueArray(row, { selector: ({ minute }) => minute, maxLength: 40 })
  .map((drawn): CandleRow[] =>
    drawn
      .sort((a, b) => a.minute - b.minute)
      .map(({ minute, prices, lamports: volume, units, trade_count, trader_count, sells }) => {
        const [open = null, high = null, low = null, close = null] = prices ?? []
        const volumes = {
          volume_lamports: `${volume}`,
          volume_units: units === null ? null : `${units}`,
        }
        const counts = {
          trade_count,
          trader_count,
          buy_count: sells === null ? null : Math.max(0, trade_count - sells),
        }
        return { bucket_ms: FIRST + minute * WIDTH, open, high, low, close, ...volumes, ...counts }
      }),
  )

test('candles in pages are written as their rows would be', (t) => {
  fc.assert(
    fc.property(rowsOf, fc.nat(40), (drawn, cut) => {
      const rows = drawn.filter(isPriced)
      const pages = [...pagesOf(rows.slice(cut)), ...pagesOf(rows.slice(0, cut))]
      t.is(writeCandles({ pool: POOL, pages }, TIMEFRAME).join(''), written(rows))
    }),
    { numRuns: 500 },
  )
})

test('with the close carried over buckets without a price, too', (t) => {
  const carried = fc.option(price, { nil: undefined })
  fc.assert(
    fc.property(rowsOf, carried, fc.nat(50), (rows, before, buckets) => {
      const last = FIRST + Math.max(buckets, 40) * WIDTH
      const filled = { first: FIRST, last, widthMs: WIDTH, carried: before }
      const text = writeCandles({ pool: POOL, pages: pagesOf(rows), filled }, TIMEFRAME).join('')
      t.is(text, written(filledRows(rows, filled)))
    }),
    { numRuns: 500 },
  )
})

test('refuses a line with only some of its prices', (t) => {
  const lines = `${FIRST} 1000 1000 1 1 1 0.5 0.5`
  t.throws(() => writeCandles({ pool: POOL, pages: [{ candles: 1, lines }] }, TIMEFRAME), {
    instanceOf: TypeError,
  })
})

/** Doubles of all magnitudes, and those below 2^50 that lie halfway between two candidates. */
function anyDoubles(): number[] {
  const prng = new Prng([20_260_801])
  const bits = new DataView(new ArrayBuffer(8))
  const random = Array.from({ length: 6_000 }, () => {
    bits.setUint32(0, prng.below(0x7ff0_0000))
    bits.setUint32(4, prng.below(2 ** 32))
    return bits.getFloat64(0)
  })
  const usual = Array.from({ length: 6_000 }, () => prng.unit() * 10 ** (prng.below(22) - 12))
  const dyadic = Array.from({ length: 4_000 }, () => {
    const power = 20 + prng.below(30)
    return (
      2 ** power + (2 * prng.below(2 ** 20) + 1) * 2 ** Math.max(power - 52, -21 - prng.below(9))
    )
  })
  const powers = Array.from({ length: 2_000 }, (_, n) => 2 ** (n - 1_000))
  const odd = [
    0,
    5e-324,
    2 ** -44,
    2 ** 46 + 0.125,
    2 ** 46 + 0.375,
    9.5e-7,
    1e-6,
    1e-4,
    1e15,
    1e21,
  ]
  const all = [...random, ...usual, ...dyadic, ...powers, ...odd]
  return all.filter(Number.isFinite).slice(0, 4 * Math.floor(all.length / 4))
}

test('doubles of all magnitudes that PostgreSQL prints are written as JavaScript prints them', async (t) => {
  const { db, get } = under()
  const newest = sampleSwap({ slot: 1, timestamp: FIRST, pairAddress: pair(0) })
  await insertSwaps(db, [newest], { hasPrices: true })
  const doubles = anyDoubles()
  const minutes = Math.floor(doubles.length / 4)
  const column = (index: number) =>
    Array.from({ length: minutes }, (_, minute) => doubles[4 * minute + index])
  await db.query('delete from candle_1m')
  await db.query(
    `insert into candle_1m (pool_id, trade_count, bucket_ms, open, high, low, close, first_slot,
       last_slot, volume_lamports, volume_units, buy_count, trader_count)
     select (select id from pool), minute, ${FIRST} - (minute - 1) * ${WIDTH}::bigint, open, high, low, close,
       1, 1, trunc(minute * 10 ^ (minute % 20)::numeric), trunc(10 ^ (minute % 30)::numeric), minute / 3, nullif(minute % 7, 0)
     from unnest($1::float8[], $2::float8[], $3::float8[], $4::float8[])
       with ordinality as candle (open, high, low, close, minute)`,
    [column(0), column(1), column(2), column(3)],
  )
  await db.query(
    `insert into candle_4h (pool_id, trade_count, bucket_ms, volume_lamports) select id, 1, 0, 1 from pool`,
  )
  const { rows } = await db.query(
    `select bucket_ms, open, high, low, close, volume_lamports, volume_units, trade_count, buy_count,
       trader_count from candle_1m
     order by bucket_ms`,
  )
  t.is(rows.length, minutes)
  for (const query of ['limit=5000', 'limit=5000&fill=true']) {
    for (const encoding of ['identity', 'gzip']) {
      const path = `/api/v1/candles?pair_address=${pair(0)}&${query}`
      const { text, headers } = await get(path, { 'Accept-Encoding': encoding })
      t.is(text, written(rows as PricedRow[]), query)
      t.is(headers.get('content-encoding') ?? 'identity', encoding)
    }
  }
})
