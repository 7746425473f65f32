-- name: export/close_rows
-- Closes the cursor of a table that was exported, and with it the files of its sort.
-- variant candles: cursor = exported_candles
-- variant positions: cursor = exported_positions
-- variant leaderboard: cursor = exported_leaderboard
close {cursor}

-- name: export/fetch_rows
-- The next rows of a table that is being exported; none at the end. A cursor each, because a prepared statement returns
-- the same columns whenever it runs.
-- variant candles: cursor = exported_candles
-- variant positions: cursor = exported_positions
-- variant leaderboard: cursor = exported_leaderboard
fetch forward 5000 from {cursor}

-- name: export/find_days
-- Times of the first and the last swap, Unix ms; null without any. Reads the widest spans.
select min(first_ms) as first_ms, max(last_ms) as last_ms from slot_span where width = 1000000000

-- name: export/list_lanes
-- How far each actor has read in each lane: its checkpoint. Reads the whole of a small table.
select
  actor, lane, stream_epoch, sequence,
  floor(extract(epoch from committed_at) * 1000)::bigint as committed_ms
from checkpoint
order by actor, lane

-- name: export/list_prices
-- Price and decimals of tokens now. $1 integer[]: token ids, each once. Result: price null for one without a priced
-- trade. Indexes: those of token_prices() and mint_decimals().
select
  wanted.id as token_id,
  priced.price,
  coalesce(
    priced.decimals, (select newest.decimals from mint_decimals(wanted.id) as newest)
  ) as decimals
from unnest($1::integer[]) as wanted (id)
left join token_prices($1) as priced on priced.token_id = wanted.id

-- name: export/open_candles
-- Begins to read the candles of a stored width that have a price, by time and pool: a cursor of the transaction, read
-- by fetch_rows. $1 $2 bigint: first bucket, and the end of the last. Sorts them.
-- variant 1m: table = candle_1m
-- variant 15m: table = candle_15m
-- variant 4h: table = candle_4h
declare exported_candles no scroll cursor for
select
  pool.pair_address, token.address as token_address, candle.bucket_ms, candle.open, candle.high, candle.low,
  candle.close, candle.volume_lamports, candle.volume_units, candle.trade_count, candle.buy_count,
  candle.trader_count
from {table} as candle
join pool on pool.id = candle.pool_id
join token on token.id = pool.token_id
where candle.bucket_ms >= $1 and candle.bucket_ms < $2 and candle.open is not null
order by candle.bucket_ms, pool.pair_address

-- name: export/open_leaderboard
-- Begins to read a whole ranking: a cursor of the transaction, read by fetch_rows. $1 to $4: as in
-- leaderboard/list_ranks. Result: its columns, and `bits`: the tags of the wallet on any mint, null without any.
declare exported_leaderboard no scroll cursor for
select ranks.*, wallet_profile.tags as bits
from (
  {+ranked_wallets}
) as ranks
left join wallet on wallet.address = ranks.wallet
left join wallet_profile on wallet_profile.wallet_id = wallet.id
order by ranks.rank

-- name: export/open_merged_candles
-- Begins to read candles that are merged into wider ones and have a price, by time and pool: a cursor of the
-- transaction, read by fetch_rows. $1 $2 bigint: first bucket, and the end of the last; $3 bigint: width in
-- milliseconds. Null: one of the merged candles was not counted, or the width counts no traders. Sorts them.
-- variant 1m: table = candle_1m; wide_ms = 300000
-- variant 15m: table = candle_15m; wide_ms = 3600000
-- variant 4h: table = candle_4h; wide_ms = 86400000
declare exported_candles no scroll cursor for
select
  pool.pair_address, token.address as token_address, merged.*
from (
  select
    pool_id,
    time_bucket($3::bigint, bucket_ms) as bucket_ms,
    {+merged_candle},
    case
      when $3 = {wide_ms} and count(wide_trader_count) = count(*) then sum(wide_trader_count)
    end as trader_count
  from {table}
  where bucket_ms >= $1 and bucket_ms < $2
  group by pool_id, time_bucket($3::bigint, bucket_ms)
  having count(open) > 0
) as merged
join pool on pool.id = merged.pool_id
join token on token.id = pool.token_id
order by merged.bucket_ms, pool.pair_address

-- name: export/open_positions
-- Begins to read positions by wallet and mint: a cursor of the transaction, read by fetch_rows. $1 $2 bigint: first
-- and last last_trade_ms. Their prices and decimals are read by list_prices. Index: wallet_tag_pkey; sorts them.
declare exported_positions no scroll cursor for
select
  wallet.address as wallet,
  token.address as mint,
  position.token_id,
  {+position_columns},
  array(
    select tag from wallet_tag
    where wallet_tag.wallet_id = position.wallet_id and wallet_tag.token_id = position.token_id
    order by tag
  ) as tags
from position
join wallet on wallet.id = position.wallet_id
join token on token.id = position.token_id
where position.last_trade_ms between $1 and $2
order by wallet.address, token.address

-- name: export/plan_streamed
-- Plans cursors of this transaction for their first rows: swaps stream by their index, and are not sorted whole on disk.
set local cursor_tuple_fraction = 0.1

-- name: export/plan_whole
-- Plans cursors of this transaction for reading all of their rows, not for the first of them.
set local cursor_tuple_fraction = 1

-- name: export/read_state
-- The state of the tables that an export reads: stored swaps, their highest slot and newest time, which may be later than now
-- (null without any), and rows that wait to be recomputed. Reads the whole of pool. Index: that of latest_swap_ms().
select
  (select coalesce(sum(swap_count), 0)::bigint from pool) as swaps,
  (select max(last_slot) from pool) as newest_slot,
  latest_swap_ms() as newest_swap_ms,
  (select count(*) from position_refold) as positions_to_recompute,
  (select count(*) from pool_repair) as pools_to_repair

-- name: export/try_lake_lock
-- Takes the lock of daily exports, one at a time, for as long as the session lasts.
select pg_try_advisory_lock(hashtextextended('lake', 0)) as is_taken
