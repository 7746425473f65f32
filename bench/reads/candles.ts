/**
 * GET /api/v1/candles with the maximum of one request: 5,000 minutes of a pool that traded in each, by one connection,
 * each request of another stretch of a month, so that no answer is cached.
 */
import { DAY_MINUTES, FOUR_HOURS_MS, MINUTE_MS } from '../../domain/time/time-bucket.ts'
import type { Db } from '../../sql/db.ts'
import { startMeter } from '../measure/cpu.ts'
import { expectEqual, quantile, sharedClockMs } from '../measure/sample.ts'
import type { Measurement } from '../measurement.ts'
import { startRest } from '../rest-client.ts'

const LIMIT = 5_000
const POOLS = 20
const MINUTES = 30 * DAY_MINUTES
const NEWEST_MS = Date.UTC(2026, 7, 1)
const WARM_UP_REQUESTS = 30
const REQUESTS = 300

const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdef'

const LISTED = `GET /api/v1/candles, ${LIMIT.toLocaleString('en-US')} of a minute`

export const candles: Measurement = {
  name: 'candles',
  figures: [
    { figure: `${LISTED}, p50`, unit: 'ms', digits: 1 },
    { figure: `${LISTED}, p99`, unit: 'ms', digits: 1, goal: '<= 30' },
  ],
  round: ({ stack, stages, workerFlags }) =>
    stages.use(async (stage) => {
      await fill(stage.db)
      const rest = await startRest(stage, workerFlags)
      try {
        const took: number[] = []
        let meter = startMeter({})
        for (let count = 0; count < WARM_UP_REQUESTS + REQUESTS; count++) {
          if (count === WARM_UP_REQUESTS) {
            meter = startMeter({ API: rest.pid, PostgreSQL: stack.servers.postgres.pid })
          }
          const fromMs = sharedClockMs()
          const { status, text } = await rest.read(pathOf(count))
          if (count >= WARM_UP_REQUESTS) took.push(sharedClockMs() - fromMs)
          expectEqual('status of candles', status, 200)
          if (count % 100 === 0) expectEqual('candles', JSON.parse(text).data.length, LIMIT)
        }
        return [
          { figure: `${LISTED}, p50`, value: quantile(took, 0.5), cpu: meter.perSwap(REQUESTS) },
          { figure: `${LISTED}, p99`, value: quantile(took, 0.99) },
        ]
      } finally {
        await rest.stop()
      }
    }),
}

function pathOf(count: number): string {
  const to = NEWEST_MS - ((count * 97) % (MINUTES - LIMIT)) * MINUTE_MS
  return `/api/v1/candles?pair_address=${addressOf(1 + (count % POOLS))}&limit=${LIMIT}&to=${to}`
}

/** Base58 of 32 bytes, as the database writes it below. */
const addressOf = (pool: number): string => `4${LETTERS[pool]!.repeat(43)}`

async function fill(db: Db): Promise<void> {
  await db.query('select setseed(0.5)')
  await db.query(`insert into token (address, decimals) values ('${addressOf(POOLS + 1)}', 6)`)
  const pairs = Array.from({ length: POOLS }, (_, n) => addressOf(n + 1))
  await db.query(
    `insert into pool (pair_address, token_id, dex, swap_count, last_timestamp_ms, newest_ms)
     select pair, token.id, 1, ${MINUTES}, ${NEWEST_MS}, ${NEWEST_MS} from unnest($1::text[]) as pair, token`,
    [pairs],
  )
  await db.query(
    `insert into candle_1m (pool_id, trade_count, bucket_ms, open, high, low, close, first_slot,
       last_slot, volume_lamports)
     select id, 1 + n % 400, ${NEWEST_MS} - n * ${MINUTE_MS}::bigint, price, price * 1.2, price * 0.8,
       price * (0.8 + 0.4 * random()), 1, 2, floor(random() * 1e12)
     from generate_series(0, ${MINUTES - 1}) n
     cross join (select id, random() * 1e-4 as price from pool) as traded`,
  )
  await db.query(
    `insert into candle_4h (pool_id, trade_count, bucket_ms, open, high, low, close, volume_lamports)
     select pool_id, sum(trade_count), bucket_ms / ${FOUR_HOURS_MS} * ${FOUR_HOURS_MS}, min(open), max(high), min(low),
       min(close), sum(volume_lamports)
     from candle_1m group by 1, 3`,
  )
  await db.query('vacuum analyze')
}
