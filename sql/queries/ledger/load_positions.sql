-- Positions as folding left them. $1 integer[] wallet_id, $2 integer[] token_id (pairwise).
-- Index: the primary key of position.
select
  position.wallet_id, position.token_id, position.swap_count, position.buy_count,
  position.sell_count, position.covered_sell_count, position.win_count,
  position.transaction_count, position.arbitrage_count, position.balance, position.basis,
  position.lots_cost, position.realized_strict, position.realized_adjusted,
  position.buys_lamports, position.sells_lamports, position.uncovered_quantity,
  position.uncovered_lamports, position.largest_buy_lamports, position.largest_sell_lamports,
  position.fastest_flip_ms, position.longest_hold_ms, position.first_trade_ms,
  position.last_trade_ms, position.newest_buy_ms, position.lot_first, position.lot_next,
  position.last_slot, position.last_block_tx_index, position.last_sol_amount,
  position.last_token_amount, position.last_ix_index, position.last_dex, position.decimals,
  position.last_sides, position.last_is_buy, position.last_signature, position.last_pair,
  position.slot_transactions, position.lot_head, position.lot_tail,
  position.held_changes
from unnest($1::integer[], $2::integer[]) as wanted (wallet_id, token_id)
join position on position.wallet_id = wanted.wallet_id and position.token_id = wanted.token_id
