/**
 * The job of /wallets/{w}/chart, from request to end: a year of days of a wallet with 100,000 swaps in 60 mints, over
 * the 1,460 chunks that a year of slots has. A process loads the chunks when it starts, which is measured separately.
 * Days stored by a job are deleted for the next ones, which only a superuser can do, without the table's trigger.
 */
import { DAY_MS, FOUR_HOURS_MS } from '../../domain/time/time-bucket.ts'
import type { Db } from '../../sql/db.ts'
import { type JobQueue, openJobQueue } from '../../streams/jobs/bullmq.ts'
import { DEFAULT_LANE_COUNT } from '../../streams/nats/lane.ts'
import { JOB_FUNCTIONS } from '../../workers/jobs/functions.ts'
import { startJobs } from '../../workers/jobs/main.ts'
import { rebuildLedger } from '../../workers/rebuild/ledger.ts'
import { startMeter } from '../measure/cpu.ts'
import { expectEqual, sharedClockMs } from '../measure/sample.ts'
import type { Measurement } from '../measurement.ts'
import { programLog } from '../programs/program.ts'
import type { Stage } from '../stage.ts'

const SWAPS = 100_000
const LATER_JOBS = 3
const POOLS = 100
const MINTS = 60
const DAYS = 365
const YEAR_MS = DAYS * DAY_MS
const YEAR_SLOTS = 78_840_000
const START_MS = Date.UTC(2025, 0, 1)
const WALLET = 'busy wallet'
const BOUND_MS = 60_000
const FIRST = 'chart of a year, wallet with 100,000 swaps, first of a process'
const LEARNT = 'a process of jobs starts over 1,460 chunks: until it knows them'
const LATER = 'chart of a year, wallet with 100,000 swaps, later ones'

export const chart: Measurement = {
  name: 'chart',
  figures: [
    { figure: LEARNT, unit: 'ms' },
    { figure: FIRST, unit: 'ms', goal: '<= 1,000' },
    { figure: LATER, unit: 'ms', goal: '<= 1,000' },
  ],
  round: ({ stack, stages }) =>
    stages.use(async (stage) => {
      await fill(stage.db)
      const shared = {
        redisUrl: stack.redisUrl,
        prefix: `${stage.topology.swap.stream}.`,
        log: programLog,
      }
      const queue = openJobQueue(shared)
      const functions = { 'chart-backfill': JOB_FUNCTIONS['chart-backfill']! }
      const fromMs = sharedClockMs()
      const jobs = startJobs({ ...shared, databaseUrl: stage.databaseUrl, functions })
      try {
        await jobs.prepared
        const learnt = sharedClockMs() - fromMs
        const first = await timeOf(stage, queue)
        const meter = startMeter({ PostgreSQL: stack.servers.postgres.pid })
        let later = 0
        for (let job = 0; job < LATER_JOBS; job++) later += await timeOf(stage, queue)
        return [
          { figure: LEARNT, value: learnt },
          { figure: FIRST, value: first },
          {
            figure: LATER,
            value: later / LATER_JOBS,
            cpu: meter.perSwap(LATER_JOBS * SWAPS),
          },
        ]
      } finally {
        await jobs.stop()
        await queue.close()
      }
    }),
}

/** Milliseconds from the request until the year is stored. */
async function timeOf({ db }: Stage, queue: JobQueue): Promise<number> {
  await db.query('alter table chart_day disable trigger chart_day_closed')
  await db.query('truncate chart_day')
  await db.query('alter table chart_day enable trigger chart_day_closed')
  const fromMs = sharedClockMs()
  await queue.requestAndWait('chart-backfill', { wallet: WALLET }, AbortSignal.timeout(BOUND_MS))
  const took = sharedClockMs() - fromMs
  const { rows } = await db.query('select count(*)::integer as days from chart_day')
  expectEqual('days of the chart', rows[0].days, DAYS)
  return took
}

async function fill(db: Db): Promise<void> {
  await db.query('insert into wallet (address) values ($1)', [WALLET])
  await db.query(
    `insert into token (address) select 'mint ' || n from generate_series(1, ${MINTS}) n`,
  )
  await db.query(
    `insert into pool (pair_address, token_id, dex, last_slot, last_quote_decimals)
     select 'pool ' || n, 1 + n % ${MINTS}, 3, 1, 6 from generate_series(1, ${POOLS}) n`,
  )
  await db.query(INSERT_SWAPS)
  await db.query(
    `insert into candle_4h (pool_id, bucket_ms, open, high, low, close, volume_lamports, trade_count)
     select pool_id, timestamp_ms / ${FOUR_HOURS_MS} * ${FOUR_HOURS_MS}, 1, 1, 1, 1, sum(sol_amount), count(*)
     from swap group by 1, 2`,
  )
  await db.query(
    `insert into slot_span (lane, width, bucket, first_ms, last_ms)
     select 0, width, bucket, min(timestamp_ms), max(timestamp_ms) + ${DAY_MS}
     from swap, unnest(array[10000, 1000000000]) as width,
       lateral (select slot / width * width as bucket) as run
     group by width, bucket`,
  )
  await rebuildLedger(db, { laneCount: DEFAULT_LANE_COUNT, log: programLog })
  await db.query('analyze')
}

/** Every second one is a sell of a little less than the buy before it. */
const INSERT_SWAPS = `
  insert into swap (slot, block_tx_index, timestamp_ms, sol_amount, token_amount, fee, creator_fee,
    virtual_sol_reserves, virtual_token_reserves, real_sol_reserves, real_token_reserves,
    transfer_fee_in, transfer_fee_out, cashback, pool_price, pool_id, wallet_id, ix_index, fee_bps,
    creator_fee_bps, cashback_bps, time_source, agent_trade, dex, quote_decimals, is_buy, signature)
  select n::bigint * ${YEAR_SLOTS} / ${SWAPS}, n % 1000, ${START_MS} + n::bigint * ${YEAR_MS} / ${SWAPS},
    1000000 + n, 5000000 + n::bigint * 7919 % 1000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.1,
    1 + n * 31 % ${POOLS}, 1, 0, 0, 0, 0, 0, 0, 3, 6,
    n / ${POOLS} % 2 = 0, lpad(n::text, 88, '1')
  from generate_series(0, ${SWAPS - 1}) n`
