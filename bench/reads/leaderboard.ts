/**
 * GET /v2/pnl/leaderboard/top over many active wallets. Cold: no response is cached and the job has computed the
 * ranking; no two requests are alike, and they lie all over its depth. Cached: the same request again. The time of
 * the job, and of a request without a ranking, is measured too.
 * Hours are written as the ledger leaves them: three a wallet over 90 days, the later the denser, and one
 * wallet in five hundred that trades all the time, both sides at once.
 */

import { HOUR_MS } from '../../domain/time/time-bucket.ts'
import { LEADERBOARD_PERIODS } from '../../domain/wallet/leaderboard.ts'
import type { Db } from '../../sql/db.ts'
import { makeRanking } from '../../workers/jobs/leaderboard.ts'
import { startMeter } from '../measure/cpu.ts'
import { expectEqual, quantile, sharedClockMs } from '../measure/sample.ts'
import type { Measurement } from '../measurement.ts'
import { type RestClient, startRest } from '../rest-client.ts'

const REQUESTS = 300
const WARM_UP_REQUESTS = 30
const MODES = ['adjusted', 'strict', 'raw']
const NEWEST_MS = Date.UTC(2026, 7, 1)
const PATH = '/v2/pnl/leaderboard/top'

/** Measures leaderboards of so many active wallets. */
export function leaderboardOf(wallets: number): Measurement {
  const of = `leaderboard, ${wallets.toLocaleString('en-US')} wallets`
  const all = `${of}: rankings of all periods made`
  const one = `${of}: no ranking yet, that of 7d made`
  const coldP50 = `${of}: ranking precomputed, p50`
  const coldP99 = `${of}: ranking precomputed, p99`
  const cachedP99 = `${of}: cached response, p99`
  return {
    name: 'leaderboard',
    figures: [
      { figure: all, unit: 's', digits: 1 },
      { figure: one, unit: 's', digits: 1 },
      { figure: coldP50, unit: 'ms', digits: 1 },
      { figure: coldP99, unit: 'ms', digits: 1, goal: '<= 300' },
      { figure: cachedP99, unit: 'ms', digits: 1, goal: '<= 5' },
    ],
    round: (context) =>
      context.stages.use(async (stage) => {
        await fill(stage.db, wallets)
        const { pid } = context.stack.servers.postgres
        const meter = startMeter({ PostgreSQL: pid })
        const tookMs = []
        for (const period of LEADERBOARD_PERIODS) {
          const fromMs = sharedClockMs()
          const isMade = await makeRanking(stage.db, period, { directRowsMax: 0 })
          expectEqual(`rankings made of ${period}`, Number(isMade), 1)
          tookMs.push(sharedClockMs() - fromMs)
        }
        const cpu = meter.perSwap(wallets)
        const rest = await startRest(stage, context.workerFlags)
        try {
          const cold = await times(rest, coldQuery)
          const cached = await times(rest, () => 'limit=100')
          const made = tookMs[LEADERBOARD_PERIODS.indexOf('7d')] ?? Number.NaN
          return [
            { figure: all, value: tookMs.reduce((sum, ms) => sum + ms, 0) / 1000, cpu },
            { figure: one, value: made / 1000 },
            { figure: coldP50, value: quantile(cold, 0.5) },
            { figure: coldP99, value: quantile(cold, 0.99) },
            { figure: cachedP99, value: quantile(cached, 0.99) },
          ]
        } finally {
          await rest.stop()
        }
      }),
  }

  function coldQuery(count: number): string {
    const period = LEADERBOARD_PERIODS[count % LEADERBOARD_PERIODS.length]
    const limit = count % 5 === 0 ? 1000 : 100
    const offset = count % 7 === 0 ? Math.floor((wallets / 4) * (count / REQUESTS)) : count
    const which = `period=${period}&pnl_mode=${MODES[count % MODES.length]}`
    return `${which}&exclude_arbitrage=${count % 2}&limit=${limit}&offset=${offset}`
  }
}

/** Milliseconds of each request, those that warm up aside. */
async function times(rest: RestClient, queryOf: (count: number) => string): Promise<number[]> {
  const took: number[] = []
  for (let count = 0; count < WARM_UP_REQUESTS + REQUESTS; count++) {
    const fromMs = sharedClockMs()
    const answer = await rest.read(`${PATH}?${queryOf(count)}`)
    if (count >= WARM_UP_REQUESTS) took.push(sharedClockMs() - fromMs)
    expectEqual('status of the leaderboard', answer.status, 200)
  }
  return took
}

async function fill(db: Db, wallets: number): Promise<void> {
  await db.query(
    `insert into wallet (address)
     select substr(translate(encode(sha256(n::text::bytea), 'base64'), '+/=0OIl', 'abcdefg'), 1, 43)
     from generate_series(1, $1::integer) n`,
    [wallets],
  )
  await db.query(
    `insert into slot_span (lane, width, bucket, first_ms, last_ms)
     select 0, width, 0, ${NEWEST_MS} - 7776000000, ${NEWEST_MS}
     from unnest(array[100, 10000, 1000000000]) width`,
  )
  await db.query('select setseed(0.5)')
  await insertHours(db, { wallets, hours: 3, from: 2_160, skew: 2, trades: 1, arbitrage: 0.02 })
  const busy = Math.ceil(wallets / 500)
  await insertHours(db, { wallets: busy, hours: 300, from: 720, skew: 1, trades: 30, arbitrage: 1 })
  await db.query('vacuum analyze')
}

/** `from`: hours before the newest; a third of wallets have no realized profit in an hour. */
async function insertHours(
  db: Db,
  of: {
    wallets: number
    hours: number
    from: number
    skew: number
    trades: number
    arbitrage: number
  },
): Promise<void> {
  await db.query(
    `insert into position_hour (wallet_id, hour_ms, token_id, segment, buy_count, sell_count,
       covered_sell_count, win_count, transaction_count, arbitrage_count, realized_strict,
       realized_adjusted, realized_raw, volume_lamports)
     select wallet_id, ${NEWEST_MS} - floor($3 * power(random(), $4))::bigint * ${HOUR_MS},
       floor(random() * 50000), 0, $5, $5, $5, $5 / 2, 2 * $5,
       case when random() < $6 then $5 else 0 end, realized, realized + 1, realized - 1,
       abs(realized) * 3
     from (
       select wallet_id,
         case when random() < 0.3 then 0 else round((random() - 0.5) * 10 ^ (9 + random() * 3)) end
           ::numeric as realized
       from generate_series(1, $1::integer) wallet_id, generate_series(1, $2::integer)
     ) as hour
     on conflict do nothing`,
    [of.wallets, of.hours, of.from, of.skew, of.trades, of.arbitrage],
  )
}
