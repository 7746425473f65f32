-- A position as the ledger folds it, in the order of the table's columns.
wallet_id, token_id, swap_count, buy_count, sell_count, covered_sell_count, win_count,
transaction_count, arbitrage_count, balance, basis, lots_cost, realized_strict,
realized_adjusted, buys_lamports, sells_lamports, uncovered_quantity, uncovered_lamports,
largest_buy_lamports, largest_sell_lamports, fastest_flip_ms, longest_hold_ms, first_trade_ms,
last_trade_ms, newest_buy_ms, lot_first, lot_next, last_slot, last_sol_amount,
last_token_amount, last_ix_index, last_dex, decimals, last_is_buy, lot_head, lot_tail,
held_changes
