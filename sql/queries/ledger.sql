-- name: ledger/create_hour_stage
-- Where a session puts down hours before they are merged; empty after each transaction.
create temp table if not exists position_hour_stage (like position_hour including defaults) on commit delete rows

-- name: ledger/create_position_stage
-- Where a session puts down positions before they are merged; empty after each transaction.
create temp table if not exists position_stage (like position including defaults) on commit delete rows

-- name: ledger/delete_ahead
-- Deletes the applied-ahead mark of a lane. $1 smallint: lane. Index: ledger_ahead_pkey.
delete from ledger_ahead where lane = $1

-- name: ledger/delete_chunks_from
-- Deletes chunks of lots that were sealed after the point where a recompute begins.
-- $1 integer[] wallet_id, $2 integer[] token_id, $3 integer[] chunk (pairwise).
-- Index: the primary key of lot_chunk.
delete from lot_chunk
using unnest($1::integer[], $2::integer[], $3::integer[]) as again (wallet_id, token_id, chunk)
where lot_chunk.wallet_id = again.wallet_id
  and lot_chunk.token_id = again.token_id
  and lot_chunk.chunk >= again.chunk

-- name: ledger/delete_hours_from
-- Deletes hours of recomputed positions, from a segment on.
-- $1 integer[] wallet_id, $2 integer[] token_id, $3 integer[] segment (pairwise).
-- Index: the primary key of position_hour.
delete from position_hour
using unnest($1::integer[], $2::integer[], $3::integer[]) as again (wallet_id, token_id, segment)
where position_hour.wallet_id = again.wallet_id
  and position_hour.token_id = again.token_id
  and position_hour.segment >= again.segment

-- name: ledger/delete_positions
-- Deletes positions of which no swap is left. $1 integer[] wallet_id, $2 integer[] token_id (pairwise).
-- Index: the primary key of position.
delete from position
using unnest($1::integer[], $2::integer[]) as gone (wallet_id, token_id)
where position.wallet_id = gone.wallet_id and position.token_id = gone.token_id

-- name: ledger/delete_spent_chunks
-- Deletes chunks that no snapshot of their position references, and so the position does not either. Pairwise: $1
-- integer[] wallet_id, $2 integer[] token_id. Indexes: the primary keys of both tables.
delete from lot_chunk
using (
  select wallet_id, token_id, min(first_chunk) as first_chunk
  from position_snapshot
  join unnest($1::integer[], $2::integer[]) as retained (wallet_id, token_id)
    using (wallet_id, token_id)
  group by wallet_id, token_id
) as retained
where lot_chunk.wallet_id = retained.wallet_id
  and lot_chunk.token_id = retained.token_id
  and lot_chunk.chunk < retained.first_chunk

-- name: ledger/find_ahead
-- Applied-ahead mark of a lane: swaps applied of messages that it reads again. $1 smallint: lane. Index: ledger_ahead_pkey.
select sequence, slot from ledger_ahead where lane = $1

-- name: ledger/find_tokens
-- Ids of mints. $1 text[]: addresses. Index: the unique key of token.
select id, address from token where address = any ($1::text[])

-- name: ledger/find_wallets
-- Ids of wallets. $1 text[]: addresses. Index: the unique key of wallet.
select id, address from wallet where address = any ($1::text[])

-- name: ledger/insert_chunks
-- Stores sealed chunks of lots; a recomputed position seals its chunks again. Pairwise: $1 integer[] wallet_id, $2
-- integer[] token_id, $3 integer[] chunk, $4 bytea[] lots.
insert into lot_chunk (wallet_id, token_id, chunk, lots)
select * from unnest($1::integer[], $2::integer[], $3::integer[], $4::bytea[])
on conflict (wallet_id, token_id, chunk) do update set lots = excluded.lots

-- name: ledger/insert_token_changes
-- Word of all tokens that rankings may hold: their positions may be others, as after a rebuild. Reads the
-- whole of pool.
insert into token_change (token_id)
select distinct token_id from pool where newest_ms >= newest_swap_ms() - 172800000

-- name: ledger/list_covers
-- The newest commit of each pool lane whose messages for a wallet lane a rebuild has applied.
-- $1 smallint: lane.
select pool_lane, commit_number from ledger_cover where lane = $1

-- name: ledger/list_pool_commits
-- How far every pool lane has committed: the swaps of those commits are stored.
select lane, commit_number from checkpoint where actor = 'pool'

-- name: ledger/list_pools
-- All pools with their mints.
select id, pair_address, token_id from pool

-- name: ledger/find_last_wallet
-- The greatest id of a wallet, 0 without one. Index: wallet_pkey.
select coalesce(max(id), 0) as last from wallet

-- name: ledger/list_wallets
-- A page of wallets in the order of their ids. $1 integer: first id, $2 integer: how many.
select id, address from wallet where id >= $1 order by id limit $2

-- name: ledger/load_chunks
-- Sealed chunks of lots. $1 integer[] wallet_id, $2 integer[] token_id, $3 integer[] chunk (pairwise).
-- Index: the primary key of lot_chunk.
select lot_chunk.wallet_id, lot_chunk.token_id, lot_chunk.chunk, lot_chunk.lots
from unnest($1::integer[], $2::integer[], $3::integer[]) as wanted (wallet_id, token_id, chunk)
join lot_chunk on lot_chunk.wallet_id = wanted.wallet_id
  and lot_chunk.token_id = wanted.token_id
  and lot_chunk.chunk = wanted.chunk

-- name: ledger/load_positions
-- Positions as folding left them. $1 integer[] wallet_id, $2 integer[] token_id (pairwise).
-- Index: the primary key of position.
select
  {+stored_position_columns}
from unnest($1::integer[], $2::integer[]) as wanted (wallet_id, token_id)
join position using (wallet_id, token_id)

-- name: ledger/merge_ahead
-- Stores the applied-ahead mark of a lane: swaps already applied of messages that it will read again. $1 smallint:
-- lane, $2 bigint: of those up to this sequence, $3 bigint: swaps up to this slot. Index: ledger_ahead_pkey.
insert into ledger_ahead (lane, sequence, slot)
values ($1, $2, $3)
on conflict (lane) do update set sequence = excluded.sequence, slot = excluded.slot

-- name: ledger/merge_covers
-- Stores the watermarks of a recompute from the `swap` table: every lane passes over commits of the pool lanes up to these.
-- $1 integer: lane count; pairwise: $2 integer[] pool_lane, $3 bigint[] commit_number.
insert into ledger_cover (lane, pool_lane, commit_number)
select lane, cover.pool_lane, cover.commit_number
from generate_series(0, $1::integer - 1) as lane
cross join unnest($2::integer[], $3::bigint[]) as cover (pool_lane, commit_number)
on conflict (lane, pool_lane) do update set
  commit_number = greatest(ledger_cover.commit_number, excluded.commit_number)

-- name: ledger/merge_hours
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

-- name: ledger/merge_positions
-- Stores the present state of positions: rows of the stage replace the stored ones. Columns that only the version before
-- reads get their defaults, by which it recomputes the position (migration 0021_compact_positions).
-- Index: the primary key of position.
insert into position (
  {+stored_position_columns}
)
select
  {+stored_position_columns}
from position_stage
on conflict (wallet_id, token_id) do update set
  swap_count = excluded.swap_count,
  buy_count = excluded.buy_count,
  sell_count = excluded.sell_count,
  covered_sell_count = excluded.covered_sell_count,
  win_count = excluded.win_count,
  transaction_count = excluded.transaction_count,
  arbitrage_count = excluded.arbitrage_count,
  balance = excluded.balance,
  basis = excluded.basis,
  lots_cost = excluded.lots_cost,
  realized_strict = excluded.realized_strict,
  realized_adjusted = excluded.realized_adjusted,
  buys_lamports = excluded.buys_lamports,
  sells_lamports = excluded.sells_lamports,
  uncovered_quantity = excluded.uncovered_quantity,
  uncovered_lamports = excluded.uncovered_lamports,
  largest_buy_lamports = excluded.largest_buy_lamports,
  largest_sell_lamports = excluded.largest_sell_lamports,
  fastest_flip_ms = excluded.fastest_flip_ms,
  longest_hold_ms = excluded.longest_hold_ms,
  first_trade_ms = excluded.first_trade_ms,
  last_trade_ms = excluded.last_trade_ms,
  newest_buy_ms = excluded.newest_buy_ms,
  lot_first = excluded.lot_first,
  lot_next = excluded.lot_next,
  last_slot = excluded.last_slot,
  last_block_tx_index = default,
  last_sol_amount = excluded.last_sol_amount,
  last_token_amount = excluded.last_token_amount,
  last_ix_index = excluded.last_ix_index,
  last_dex = excluded.last_dex,
  decimals = excluded.decimals,
  last_sides = default,
  last_is_buy = excluded.last_is_buy,
  last_signature = default,
  last_pair = default,
  slot_transactions = default,
  lot_head = excluded.lot_head,
  lot_tail = excluded.lot_tail,
  held_changes = excluded.held_changes
