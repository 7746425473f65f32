/**
 * GET /v2/pnl/wallets/{wallet}/positions of a wallet with 10,000 mints among those of others, each page requested for
 * the first time since the server has the rows: sorted in every way, from every depth. Rows are written like the
 * actors' rows, scattered over the tables as by trading.
 */

import { encodeBase58 } from '../../domain/numbers/base58.ts'
import type { Db } from '../../sql/db.ts'
import { startMeter } from '../measure/cpu.ts'
import { expectEqual, quantile, sharedClockMs } from '../measure/sample.ts'
import type { Measurement } from '../measurement.ts'
import { startRest } from '../rest-client.ts'

const MINTS = 10_000
/** Wallets next to it, and how many mints each of them holds. */
const OTHERS = 5_000
const MINTS_OF_OTHERS = 20
/** Minute candles of each pool within the trailing day. */
const CANDLES = 10
const REQUESTS = 200
const WARM_UP_REQUESTS = 20
const P50 = 'positions of a wallet with 10,000 mints, p50'
const P99 = 'positions of a wallet with 10,000 mints, p99'

export const positions: Measurement = {
  name: 'positions',
  figures: [
    { figure: P50, unit: 'ms', digits: 1 },
    { figure: P99, unit: 'ms', digits: 1, goal: '<= 60' },
  ],
  round: (context) =>
    context.stages.use(async (stage) => {
      await fill(stage.db)
      const rest = await startRest(stage, context.workerFlags)
      try {
        const took: number[] = []
        let meter = startMeter({})
        for (let count = 0; count < WARM_UP_REQUESTS + REQUESTS; count++) {
          if (count === WARM_UP_REQUESTS) {
            meter = startMeter({ API: rest.pid, PostgreSQL: context.stack.servers.postgres.pid })
          }
          const fromMs = sharedClockMs()
          const answer = await rest.read(`/v2/pnl/wallets/${BUSY}/positions?${queryOf(count)}`)
          if (count >= WARM_UP_REQUESTS) took.push(sharedClockMs() - fromMs)
          expectEqual('status of positions', answer.status, 200)
          expectEqual('total of positions', JSON.parse(answer.text).total, TOTALS[count % 3]!)
        }
        return [
          { figure: P50, value: quantile(took, 0.5), cpu: meter.perSwap(REQUESTS) },
          { figure: P99, value: quantile(took, 0.99) },
        ]
      } finally {
        await rest.stop()
      }
    }),
}

/** Every tenth position is closed. */
const STATUSES = ['open', 'all', 'closed'] as const
const TOTALS = [MINTS - MINTS / 10, MINTS, MINTS / 10]
const SORTS = ['value', 'realized', 'unrealized']
const MODES = ['adjusted', 'strict', 'raw']

/** No two alike: no cache answers. */
function queryOf(count: number): string {
  const [status, sort, mode] = [STATUSES[count % 3], SORTS[((count / 3) % 3) | 0], MODES[count % 3]]
  return `status=${status}&sort=${sort}&pnl_mode=${mode}&limit=50&offset=${count % 900}`
}

const numbered = (kind: number, n: number): string => {
  const bytes = new Uint8Array(32).fill(kind)
  new DataView(bytes.buffer).setUint32(28, n)
  return encodeBase58(bytes)
}
const BUSY = numbered(1, 0)

async function fill(db: Db): Promise<void> {
  const mints = Array.from({ length: MINTS }, (_, n) => numbered(2, n))
  const wallets = Array.from({ length: OTHERS + 1 }, (_, n) => numbered(1, n))
  await db.query('insert into token (address, decimals) select unnest($1::text[]), 6', [mints])
  await db.query('insert into wallet (address) select unnest($1::text[])', [wallets])
  await db.query(
    `insert into pool (pair_address, token_id, dex, last_timestamp_ms, newest_ms, last_price,
       last_price_ms, last_slot, last_quote_decimals)
     select address, id, 2, ${NEWEST_MS}, ${NEWEST_MS}, id * 1e-6, ${NEWEST_MS}, 1, 6
     from token`,
  )
  // Every twentieth mint has a second pool: there volumes decide which price holds.
  await db.query(
    `insert into pool (pair_address, token_id, dex, last_timestamp_ms, newest_ms, last_price,
       last_price_ms, last_slot, last_quote_decimals)
     select reverse(address), id, 3, ${NEWEST_MS}, ${NEWEST_MS}, id * 2e-6, ${NEWEST_MS}, 1, 6
     from token where id % 20 = 0`,
  )
  await db.query(
    `insert into slot_span (lane, width, bucket, first_ms, last_ms)
     values (0, 1000000000, 0, ${NEWEST_MS}, ${NEWEST_MS})`,
  )
  await db.query(
    `insert into candle_1m (pool_id, bucket_ms, open, high, low, close, volume_lamports,
       trade_count, first_slot, last_slot)
     select id, ${NEWEST_MS} - n * 8640000, 1e-3, 1e-3, 1e-3, 1e-3, 1000000 * n, n, 1, 1
     from pool, generate_series(0, ${CANDLES - 1}) n order by n, id`,
  )
  await db.query(INSERT_POSITIONS, [BUSY])
  await db.query('vacuum analyze')
}

const NEWEST_MS = Date.UTC(2026, 7, 1)
const INSERT_POSITIONS = `
  insert into position (
    wallet_id, token_id, swap_count, buy_count, sell_count, covered_sell_count, win_count,
    transaction_count, arbitrage_count, balance, basis, lots_cost, realized_strict,
    realized_adjusted, buys_lamports, sells_lamports, uncovered_quantity, uncovered_lamports,
    largest_buy_lamports, largest_sell_lamports, fastest_flip_ms, longest_hold_ms, first_trade_ms,
    last_trade_ms, lot_first, lot_next, last_slot, last_sol_amount, last_token_amount,
    last_ix_index, last_dex, decimals, last_is_buy, lot_head, lot_tail
  )
  select wallet.id, token.id, 4, 2, 2, 2, 1, 4, 0,
    case when token.id % 10 = 0 then 0 else token.id * 7919 % 1000003 end, token.id * 31 % 1009,
    token.id * 37 % 1013, token.id * 41 % 100003 - 50000, token.id * 43 % 100019 - 50000, 1000, 900,
    0, 0, 700, 600, 1000, 2000, ${NEWEST_MS} - 5000, ${NEWEST_MS}, 0, 2, 1, 1, 1, 0, 2, 6,
    true, decode(repeat('00', 48), 'hex'), ''
  from wallet, lateral (
    select * from token
    where wallet.address = $1
      or (token.id + ${MINTS} - wallet.id * 20 % ${MINTS}) % ${MINTS} < ${MINTS_OF_OTHERS}
  ) token
  order by hashint8(wallet.id * 100000::bigint + token.id)`
