-- Hours of the wallets after one and up to another, their figures as one text.
-- $1 $2 integer: wallet ids. Index: the primary key of position_hour.
select wallet_id, token_id, hour_ms, segment,
  concat_ws(
    ',',
    buy_count, sell_count, covered_sell_count, win_count, transaction_count, arbitrage_count,
    realized_strict, realized_adjusted, realized_raw, volume_lamports,
    coalesce(best_lamports::text, ''), coalesce(best_slot::text, ''),
    coalesce(best_block_tx_index::text, ''), coalesce(best_ix_index::text, ''),
    coalesce(best_dex::text, ''), coalesce(worst_lamports::text, ''), coalesce(worst_slot::text,
    ''), coalesce(worst_block_tx_index::text, ''), coalesce(worst_ix_index::text, ''),
    coalesce(worst_dex::text, '')
  ) as figures
from position_hour
where wallet_id > $1 and wallet_id <= $2
