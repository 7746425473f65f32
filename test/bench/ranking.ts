/**
 * Rankings over many active tokens: how long the board takes to begin, to roll when tokens were touched and
 * when a minute has passed, and GET /trending and /api/v1/top-movers of pages as they stand. A ranking is as
 * fresh as a roll and the pause between two (ROLL_EVERY_MS). Every token has traded in six random minutes of
 * the last day in one or two pools, with some buyers and ten positions.
 */
import type { Db } from '../../sql/db.ts'
import { Board, type Pages } from '../../workers/ranking/board.ts'
import { WrittenPages } from '../../workers/ranking/page-store.ts'
import {
  expectEqual,
  type Measurement,
  quantile,
  sharedClockMs,
  WrongResult,
} from './measurement.ts'
import { type RestClient, startRest } from './rest-client.ts'

const NEWEST_MS = Date.UTC(2026, 7, 1, 12, 30)
const MINUTE_MS = 60_000
const REQUESTS = 300
const WARM_UP_REQUESTS = 30
const TOUCHED = 2_000
const WINDOWS = ['1m', '5m', '15m', '1h', '4h', '6h', '24h']
const TIMEFRAMES = ['5m', '15m', '1h', '4h', '24h']

export function rankingOf(tokens: number): Measurement {
  const of = `ranking, ${tokens.toLocaleString('en-US')} active tokens`
  const begun = `${of}: read and rolled first`
  const touched = `${of}: roll, ${TOUCHED.toLocaleString('en-US')} of them touched`
  const minute = `${of}: roll, a minute has passed`
  const trending = `${of}: GET /trending, p99`
  const movers = `${of}: GET /api/v1/top-movers, p99`
  return {
    name: 'ranking',
    needsStack: true,
    figures: [
      { figure: begun, unit: 's', digits: 1 },
      { figure: touched, unit: 'ms', goal: '<= 1,300: fresh to 2 s' },
      { figure: minute, unit: 'ms', goal: '<= 1,300: fresh to 2 s' },
      { figure: trending, unit: 'ms', digits: 1, goal: '<= 40' },
      { figure: movers, unit: 'ms', digits: 1, goal: '<= 40' },
    ],
    round: (context) =>
      context.stages.use(async (stage) => {
        await fill(stage.db, tokens)
        const board = new Board(stage.db, async () => [])
        const written = new WrittenPages()
        const roll = async (): Promise<number> => {
          const fromMs = sharedClockMs()
          await write(stage.db, written, await board.roll())
          return sharedClockMs() - fromMs
        }
        const begunMs = await roll()
        expectEqual('tokens on the board', board.tokenCount, tokens)
        for (let id = 1; id <= TOUCHED; id++) board.note(id * 7, NEWEST_MS)
        const touchedMs = await roll()
        await stage.db.query('update slot_span set last_ms = last_ms + $1', [MINUTE_MS])
        const minuteMs = await roll()
        const rest = await startRest(stage)
        try {
          const ofTrending = await times(rest, trendingPath)
          const ofMovers = await times(rest, moversPath)
          return [
            { figure: begun, value: begunMs / 1000 },
            { figure: touched, value: touchedMs },
            { figure: minute, value: minuteMs },
            { figure: trending, value: quantile(ofTrending, 0.99) },
            { figure: movers, value: quantile(ofMovers, 0.99) },
          ]
        } finally {
          await rest.stop()
        }
      }),
  }
}

function trendingPath(count: number): string {
  const window = WINDOWS[count % WINDOWS.length]
  const limit = count % 4 === 0 ? 200 : 50
  const extra = count % 3 === 0 ? '&windows=5m,1h,24h' : ''
  return `/trending?window=${window}&limit=${limit}&offset=${count % 200}&include_score=1${extra}`
}

function moversPath(count: number): string {
  const timeframe = TIMEFRAMES[count % TIMEFRAMES.length]
  const protocol = count % 3 === 0 ? `&protocol=venue_${1 + (count % 10)}` : ''
  const limit = count % 4 === 0 ? 500 : 50
  return `/api/v1/top-movers?timeframe=${timeframe}&limit=${limit}${protocol}`
}

/** Milliseconds of each request, those that warm up aside. */
async function times(rest: RestClient, pathOf: (count: number) => string): Promise<number[]> {
  const took: number[] = []
  for (let count = 0; count < WARM_UP_REQUESTS + REQUESTS; count++) {
    const fromMs = sharedClockMs()
    const answer = await rest.read(pathOf(count))
    if (count >= WARM_UP_REQUESTS) took.push(sharedClockMs() - fromMs)
    expectEqual('status of a ranking', answer.status, 200)
  }
  return took
}

async function write(db: Db, written: WrittenPages, pages: Pages | undefined): Promise<void> {
  if (pages === undefined) throw new WrongResult('a roll said nothing')
  const connection = await db.connect()
  try {
    await connection.query('begin')
    await written.writer(pages, 0)(connection)
    await connection.query('commit')
  } finally {
    connection.release()
  }
}

async function fill(db: Db, tokens: number): Promise<void> {
  await db.query('select setseed(0.5)')
  const named = (of: string) =>
    `substr(translate(encode(sha256((${of})::text::bytea), 'base64'), '+/=0OIl', 'abcdefg'), 1, 43)`
  await db.query(
    `insert into token (address) select ${named("'token' || n")} from generate_series(1, $1::integer) n`,
    [tokens],
  )
  await db.query(
    `insert into pool (pair_address, token_id, dex, swap_count, newest_ms, last_timestamp_ms,
       last_price, last_price_ms, last_sol_reserves, last_slot)
     select ${named("'pool' || id || '/' || n")}, id, 1 + (id + n) % 10, 6, ${NEWEST_MS},
       ${NEWEST_MS}, 0.001, ${NEWEST_MS}, 1000000000, 1
     from token cross join lateral generate_series(0, case when id % 5 = 0 then 1 else 0 end) n`,
  )
  await db.query(`insert into token_start select id, ${NEWEST_MS} - 86400000 from token`)
  await db.query(
    `insert into slot_span (lane, width, bucket, first_ms, last_ms)
     select 0, width, 0, ${NEWEST_MS} - 86400000, ${NEWEST_MS}
     from unnest(array[100, 10000, 1000000000]) width`,
  )
  // Half of the minutes lie in the last two hours.
  const minute = `${NEWEST_MS} - floor(case when random() < 0.5 then 120 else 1440 end * random())::bigint * ${MINUTE_MS}`
  await db.query(
    `insert into candle_1m (pool_id, trade_count, bucket_ms, open, high, low, close, first_slot,
       last_slot, volume_lamports)
     select id, 2, ${minute}, price, price * 1.2, price * 0.8, price * (0.8 + 0.4 * random()), 1, 2,
       floor(random() * 1e10)
     from (select id, random() as price from pool, generate_series(1, 6)) as traded
     on conflict do nothing`,
  )
  const wallets =
    'array(select floor(random() * 1000000 + n * 0)::integer from generate_series(1, 4))'
  await db.query(
    `insert into trader_minute (token_id, buy_count, bucket_ms, sell_count, buyers, sellers)
     select token_id, 4, bucket_ms, 1, ${wallets}, '{}'
     from (
       select pool.token_id, candle.bucket_ms, row_number() over () as n
       from candle_1m as candle join pool on pool.id = candle.pool_id
     ) as traded
     on conflict do nothing`,
  )
  await db.query(
    `insert into trader_hour (token_id, buy_count, bucket_ms, sell_count, buyers, sellers)
     select token_id, sum(buy_count), bucket_ms / 3600000 * 3600000, sum(sell_count),
       array_agg(distinct buyer), '{}'
     from trader_minute cross join unnest(buyers) as buyer
     group by token_id, bucket_ms / 3600000 * 3600000`,
  )
  await db.query(
    `insert into position (wallet_id, token_id, swap_count, buy_count, sell_count,
       covered_sell_count, win_count, transaction_count, arbitrage_count, balance, basis, lots_cost,
       realized_strict, realized_adjusted, buys_lamports, sells_lamports, uncovered_quantity,
       uncovered_lamports, largest_buy_lamports, largest_sell_lamports, first_trade_ms,
       last_trade_ms, lot_first, lot_next, last_slot, last_block_tx_index, last_sol_amount,
       last_token_amount, last_ix_index, last_dex, decimals, last_sides, last_is_buy,
       last_signature, last_pair, lot_head, lot_tail, held_changes)
     select n, id, 1, 1, 0, 0, 0, 1, 0, 1000 * n, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0, ${NEWEST_MS},
       ${NEWEST_MS}, 0, 1, 1, 0, 1, 1, 0, 1, 6, 1, true, '', '', '', '',
       array[(${minute}) / ${MINUTE_MS}]::integer[]
     from token, generate_series(1, 10) n`,
  )
  await db.query('vacuum analyze')
}
