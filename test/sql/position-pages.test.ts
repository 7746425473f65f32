/** Pages of `position`: positions are most of what is stored, so their pages are filled nearly to the end. */
import test from 'ava'
import { testDatabase } from '../support/servers/database.ts'

const POSITIONS = 3_000
const PAGE_BYTES = 8_192

test('positions fill nine tenths of their pages', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  await db.query(
    `insert into position (
      wallet_id, token_id, swap_count, buy_count, sell_count, covered_sell_count, win_count, transaction_count,
      arbitrage_count, balance, basis, lots_cost, realized_strict, realized_adjusted, buys_lamports, sells_lamports,
      uncovered_quantity, uncovered_lamports, largest_buy_lamports, largest_sell_lamports, first_trade_ms, last_trade_ms,
      lot_first, lot_next, last_slot, last_sol_amount, last_token_amount, last_ix_index, last_dex, decimals, last_is_buy,
      lot_head, lot_tail)
    select n, 1, 1, 1, 0, 0, 0, 1, 0, 5, 5, 5, 0, 0, 5, 0, 0, 0, 5, 0, 1, 1, 0, 1, 1, 5, 5, 0, 1, 6, true,
      '\\x'::bytea, '\\x'::bytea
    from generate_series(1, $1::integer) as n`,
    [POSITIONS],
  )
  const { rows } = await db.query<{ pages: number; row_bytes: number }>(
    `select pg_relation_size('position') / ${PAGE_BYTES} as pages, min(pg_column_size(position.*)) as row_bytes
    from position`,
  )
  const { pages, row_bytes: rowBytes } = rows[0]!
  const filled = (POSITIONS * rowBytes) / (pages * PAGE_BYTES)
  t.true(filled > 0.8 && filled <= 0.92, `${(100 * filled).toFixed(0)} % of ${pages} pages`)
})
