-- Positions that are known to have a row, as they stand now. Cheaper than merging them, which locks each row
-- before it changes it. Result: how many had one. Index: the primary key of position.
with updated as (
  update position set
    swap_count = staged.swap_count,
    buy_count = staged.buy_count,
    sell_count = staged.sell_count,
    covered_sell_count = staged.covered_sell_count,
    win_count = staged.win_count,
    transaction_count = staged.transaction_count,
    arbitrage_count = staged.arbitrage_count,
    balance = staged.balance,
    basis = staged.basis,
    lots_cost = staged.lots_cost,
    realized_strict = staged.realized_strict,
    realized_adjusted = staged.realized_adjusted,
    buys_lamports = staged.buys_lamports,
    sells_lamports = staged.sells_lamports,
    uncovered_quantity = staged.uncovered_quantity,
    uncovered_lamports = staged.uncovered_lamports,
    largest_buy_lamports = staged.largest_buy_lamports,
    largest_sell_lamports = staged.largest_sell_lamports,
    fastest_flip_ms = staged.fastest_flip_ms,
    longest_hold_ms = staged.longest_hold_ms,
    first_trade_ms = staged.first_trade_ms,
    last_trade_ms = staged.last_trade_ms,
    newest_buy_ms = staged.newest_buy_ms,
    lot_first = staged.lot_first,
    lot_next = staged.lot_next,
    last_slot = staged.last_slot,
    last_block_tx_index = staged.last_block_tx_index,
    last_sol_amount = staged.last_sol_amount,
    last_token_amount = staged.last_token_amount,
    last_ix_index = staged.last_ix_index,
    last_dex = staged.last_dex,
    decimals = staged.decimals,
    last_sides = staged.last_sides,
    last_is_buy = staged.last_is_buy,
    last_signature = staged.last_signature,
    last_pair = staged.last_pair,
    slot_transactions = staged.slot_transactions,
    lot_head = staged.lot_head,
    lot_tail = staged.lot_tail,
    held_changes = staged.held_changes
  from position_stage as staged
  where position.wallet_id = staged.wallet_id and position.token_id = staged.token_id
  returning 1
)
select count(*)::integer as count from updated
