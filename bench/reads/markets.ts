/**
 * Screener, token statistics, search and totals over 100,000 tokens that traded in the last day, in a database
 * of the size that 10 M swaps leave. No two requests of a kind are alike; only the screen is computed
 * beforehand, and its time is measured too. Rows are written as the actors leave them, in the order of time.
 */
import {
  DAY_MINUTES,
  DAY_MS,
  FOUR_HOURS_MS,
  HOUR_MS,
  MINUTE_MS,
  QUARTER_MS,
} from '../../domain/time/time-bucket.ts'
import { DEX_MAX, DEX_MIN, VENUE_NAMES } from '../../domain/venue.ts'
import type { Db } from '../../sql/db.ts'
import { refreshScreen } from '../../workers/jobs/screener.ts'
import { startMeter } from '../measure/cpu.ts'
import { expectEqual, quantile, type Sample, sharedClockMs } from '../measure/sample.ts'
import type { BenchContext, Measurement } from '../measurement.ts'
import { type RestClient, startRest } from '../rest-client.ts'

const TOKENS = 100_000
/** Minutes of the day in which each pool trades. */
const MINUTES_OF_POOL = 3
const WALLETS = 100_000
const REQUESTS = 100
const WARM_UP_REQUESTS = 10
const NEWEST_MS = Date.UTC(2026, 7, 1, 13, 7)

const of = `${TOKENS.toLocaleString('en-US')} tokens`
const MADE = `screener, ${of}: screen of 24h made`
const KINDS = [
  { name: `GET /screener, ${of}`, goal: '<= 40', path: screenerPath },
  { name: `GET /stats/token/{mint}, ${of}`, goal: '<= 40', path: tokenPath },
  { name: `GET /stats/tokens, 200 of ${of}`, goal: '<= 300', path: tokensPath },
  { name: `GET /search, ${of}`, goal: '<= 40', path: searchPath },
  { name: `GET /api/v1/pairs of a token, ${of}`, goal: '<= 40', path: pairsPath },
]
const TOTALS = `GET /api/v1/stats, uncached, ${of}`

export const markets: Measurement = {
  name: 'markets',
  needsStack: true,
  figures: [
    { figure: MADE, unit: 's', digits: 1 },
    ...KINDS.flatMap(({ name, goal }) => [
      { figure: `${name}, p50`, unit: 'ms', digits: 1 },
      { figure: `${name}, p99`, unit: 'ms', digits: 1, goal },
    ]),
    { figure: TOTALS, unit: 'ms', digits: 1 },
  ],
  round: (context) =>
    context.stages.use(async (stage) => {
      await fill(stage.db)
      const rest = await startRest(stage, context.workerFlags)
      try {
        const samples: Sample[] = []
        for (const { name, path } of KINDS) {
          if (path === screenerPath) samples.push(await made(context, stage.db))
          samples.push(...(await measured(context, rest, name, path)))
        }
        const fromMs = sharedClockMs()
        const { status } = await rest.read('/api/v1/stats')
        expectEqual('status of the totals', status, 200)
        return [...samples, { figure: TOTALS, value: sharedClockMs() - fromMs }]
      } finally {
        await rest.stop()
      }
    }),
}

async function made({ stack }: BenchContext, db: Db): Promise<Sample> {
  const meter = startMeter({ PostgreSQL: stack.servers.postgres.pid })
  const fromMs = sharedClockMs()
  expectEqual('screens made', Number(await refreshScreen(db, '24h')), 1)
  const value = (sharedClockMs() - fromMs) / 1_000
  return { figure: MADE, value, cpu: meter.perSwap(TOKENS) }
}

async function measured(
  { stack }: BenchContext,
  rest: RestClient,
  name: string,
  pathOf: (count: number) => string,
): Promise<Sample[]> {
  const took: number[] = []
  let meter = startMeter({})
  for (let count = 0; count < WARM_UP_REQUESTS + REQUESTS; count++) {
    if (count === WARM_UP_REQUESTS) {
      meter = startMeter({ API: rest.pid, PostgreSQL: stack.servers.postgres.pid })
    }
    const fromMs = sharedClockMs()
    const { status, text } = await rest.read(pathOf(count))
    if (count >= WARM_UP_REQUESTS) took.push(sharedClockMs() - fromMs)
    expectEqual(`status of ${name}: ${text.slice(0, 200)}`, status, 200)
  }
  return [
    { figure: `${name}, p50`, value: quantile(took, 0.5), cpu: meter.perSwap(REQUESTS) },
    { figure: `${name}, p99`, value: quantile(took, 0.99) },
  ]
}

const SORTS = ['volume_usd', 'change_pct', 'trades', 'buyers', 'liquidity_usd', 'age_minutes']

function screenerPath(count: number): string {
  const filters = [
    '',
    `&min_trades=${count}`,
    `&protocol=${VENUE_NAMES[1]}&min_change_pct=0`,
    `&max_age_minutes=${60 + count}`,
    `&min_buyers=${count % 5}&max_trades=1000`,
  ]
  const sort = SORTS[count % SORTS.length]
  return `/screener?window=24h&sort=${sort}&limit=50&offset=${count}${filters[count % 5]}`
}

function tokenPath(count: number): string {
  return `/stats/token/${mintOf((count * 7_919) % TOKENS)}`
}

function tokensPath(count: number): string {
  const mints = Array.from({ length: 200 }, (_, n) => mintOf((count * 7_919 + n * 499) % TOKENS))
  return `/stats/tokens?mints=${mints.join()}`
}

/** Symbols that many have, and few; names; addresses whole and begun. */
function searchPath(count: number): string {
  const mint = mintOf(count * 97)
  const texts = [`s${count}`, `tok${count % 10}`, mint, mint.slice(0, 4), `name ${count * 31}`]
  return `/search?q=${encodeURIComponent(texts[count % 5]!)}`
}

function pairsPath(count: number): string {
  return `/api/v1/pairs?token_address=${mintOf(count * 10)}`
}

/** Addresses as the database made them, by token. */
let mints: string[] = []
const mintOf = (n: number): string => mints[n] ?? ''

async function fill(db: Db): Promise<void> {
  for (const statement of STATEMENTS) await db.query(statement)
  await db.query('vacuum analyze')
  const { rows } = await db.query<{ mint: string }>('select address as mint from token order by id')
  mints = rows.map(({ mint }) => mint)
}

/** 32 bytes as base58, near enough: 44 characters, the first of which is not too great. */
const ADDRESS = `'4' || substr(translate(encode(sha256((kind || n)::bytea), 'base64'), '+/=0OIl', 'abcdefg'), 1, 43)`

const STATEMENTS = [
  'select setseed(0.5)',
  `insert into token (address, decimals, symbol, name)
   select ${ADDRESS}, 6, case when n % 3 = 0 then 'TOK' || n % 10 else 'S' || n % 20000 end, 'Name ' || n
   from generate_series(1, ${TOKENS}) n, (values ('mint ')) as of (kind)`,
  `insert into wallet (address)
   select ${ADDRESS} from generate_series(1, ${WALLETS}) n, (values ('wallet ')) as of (kind)`,
  `insert into slot_span (lane, width, bucket, first_ms, last_ms)
   select 0, width, 0, ${NEWEST_MS} - 7776000000, ${NEWEST_MS}
   from unnest(array[100, 10000, 1000000000]) width`,
  // Every tenth token has a second pool.
  `insert into pool (pair_address, token_id, dex, swap_count, last_timestamp_ms, newest_ms, last_price,
     last_price_ms, last_sol_reserves)
   select substr(reverse(address), 1, 42) || share + 1, id, 1 + (id + share) % 10, id % 1000,
     ${NEWEST_MS}, ${NEWEST_MS} - id % 80000 * 1000, id * 1e-6, ${NEWEST_MS} - id % 80000 * 1000,
     id * 1000
   from token, generate_series(0, 1) share
   where share = 0 or id % 10 = 0`,
  `create temporary table traded as
   select pool.id as pool_id, token_id, ${NEWEST_MS} - floor(random() * ${DAY_MINUTES - 1})::bigint * ${MINUTE_MS} as at_ms,
     (random() * 1e9)::bigint as lamports, 1 + id % 40 as trades
   from generate_series(1, ${MINUTES_OF_POOL}) n, pool`,
  `insert into candle_1m (pool_id, trade_count, bucket_ms, open, high, low, close, first_slot, last_slot,
     volume_lamports)
   select pool_id, trades, at_ms, 1e-3, 2e-3, 1e-4, 1e-3 + random() * 1e-3, 1, 1, lamports
   from traded order by at_ms
   on conflict do nothing`,
  ...[
    ['candle_15m', QUARTER_MS],
    ['candle_4h', FOUR_HOURS_MS],
  ].map(
    ([
      table,
      width,
    ]) => `insert into ${table} (pool_id, trade_count, bucket_ms, open, high, low, close,
       volume_lamports)
     select pool_id, sum(trades), at_ms / ${width} * ${width}, 1e-3, 2e-3, 1e-4, 1e-3 + random() * 1e-3,
       sum(lamports)
     from traded group by pool_id, at_ms / ${width} order by 3`,
  ),
  ...[
    ['trader_minute', MINUTE_MS],
    ['trader_hour', HOUR_MS],
  ].map(
    ([
      table,
      width,
    ]) => `insert into ${table} (token_id, buy_count, bucket_ms, sell_count, buyers, sellers)
     select token_id, sum(trades), at_ms / ${width} * ${width}, 1,
       array(select mixed_wallet(n) from generate_series(token_id, token_id + 5) n order by 1),
       array[mixed_wallet(token_id)]
     from traded group by token_id, at_ms / ${width} order by 3`,
  ),
  `insert into token_start select id, ${NEWEST_MS} - id * 6000::bigint from token`,
  `insert into venue_volume (width, bucket_ms, dex, lane, trade_count, volume_lamports)
   select width, ${NEWEST_MS} / width * width - n * width, dex, lane, 100, 1e11
   from unnest(array[${MINUTE_MS}, ${QUARTER_MS}]) width, generate_series(0, ${DAY_MINUTES - 1}) n,
     generate_series(${DEX_MIN}, ${DEX_MAX}) dex,
     generate_series(0, 3) lane
   where n * width <= ${DAY_MS}`,
  `insert into market_trader
   select width = ${HOUR_MS}, ${NEWEST_MS} / width * width - n * width, mixed_wallet(1 + wallet)
   from unnest(array[${MINUTE_MS}, ${HOUR_MS}]::bigint[]) width, generate_series(0, ${DAY_MINUTES - 1}) n,
     generate_series(0, 500) wallet
   where n * width <= 90000000`,
]
