-- Adds a batch to the hours of positions. Of equal best (worst) sells the earlier wins: the stage holds the later ones.
-- Index: the primary key of position_hour.
insert into position_hour
select * from position_hour_stage
on conflict (wallet_id, token_id, segment, hour_ms) do update set
  buy_count = position_hour.buy_count + excluded.buy_count,
  sell_count = position_hour.sell_count + excluded.sell_count,
  covered_sell_count = position_hour.covered_sell_count + excluded.covered_sell_count,
  win_count = position_hour.win_count + excluded.win_count,
  transaction_count = position_hour.transaction_count + excluded.transaction_count,
  arbitrage_count = position_hour.arbitrage_count + excluded.arbitrage_count,
  realized_strict = position_hour.realized_strict + excluded.realized_strict,
  realized_adjusted = position_hour.realized_adjusted + excluded.realized_adjusted,
  realized_raw = position_hour.realized_raw + excluded.realized_raw,
  volume_lamports = position_hour.volume_lamports + excluded.volume_lamports,
  best_lamports = case
    when position_hour.best_lamports is null or excluded.best_lamports > position_hour.best_lamports
      then excluded.best_lamports
    else position_hour.best_lamports
  end,
  best_slot = case
    when position_hour.best_lamports is null or excluded.best_lamports > position_hour.best_lamports
      then excluded.best_slot
    else position_hour.best_slot
  end,
  best_block_tx_index = case
    when position_hour.best_lamports is null or excluded.best_lamports > position_hour.best_lamports
      then excluded.best_block_tx_index
    else position_hour.best_block_tx_index
  end,
  best_ix_index = case
    when position_hour.best_lamports is null or excluded.best_lamports > position_hour.best_lamports
      then excluded.best_ix_index
    else position_hour.best_ix_index
  end,
  best_dex = case
    when position_hour.best_lamports is null or excluded.best_lamports > position_hour.best_lamports
      then excluded.best_dex
    else position_hour.best_dex
  end,
  worst_lamports = case
    when position_hour.worst_lamports is null or excluded.worst_lamports < position_hour.worst_lamports
      then excluded.worst_lamports
    else position_hour.worst_lamports
  end,
  worst_slot = case
    when position_hour.worst_lamports is null or excluded.worst_lamports < position_hour.worst_lamports
      then excluded.worst_slot
    else position_hour.worst_slot
  end,
  worst_block_tx_index = case
    when position_hour.worst_lamports is null or excluded.worst_lamports < position_hour.worst_lamports
      then excluded.worst_block_tx_index
    else position_hour.worst_block_tx_index
  end,
  worst_ix_index = case
    when position_hour.worst_lamports is null or excluded.worst_lamports < position_hour.worst_lamports
      then excluded.worst_ix_index
    else position_hour.worst_ix_index
  end,
  worst_dex = case
    when position_hour.worst_lamports is null or excluded.worst_lamports < position_hour.worst_lamports
      then excluded.worst_dex
    else position_hour.worst_dex
  end
