-- name: verify/count_candles
-- Rows of the tables of candles and prices.
select
  (select count(*) from candle_1m) as candle_1m,
  (select count(*) from candle_15m) as candle_15m,
  (select count(*) from candle_4h) as candle_4h,
  (select count(*) from dollar_minute) as dollar_minute,
  (select count(*) from pool_trader) as pool_trader

-- name: verify/count_day_candles
-- The same of a day. $1 $2 bigint: its first and last Unix ms, $3 integer: its number since 1970. Minutes of wallets are those
-- in pools that exist. Indexes: the chunks of a day, dollar_minute_pkey, pool_trader_pkey for each pool.
select
  (select count(*) from candle_1m where bucket_ms between $1 and $2) as candle_1m,
  (select count(*) from candle_15m where bucket_ms between $1 and $2) as candle_15m,
  (select count(*) from candle_4h where bucket_ms between $1 and $2) as candle_4h,
  (select count(*) from dollar_minute where bucket_ms between $1 and $2) as dollar_minute,
  (
    select count(*)
    from pool
    join pool_trader on pool_trader.pool_id = pool.id and pool_trader.day = $3
  ) as pool_trader

-- name: verify/count_recomputes
-- Positions that wait for a recompute, and lanes under audit.
select
  (select count(*) from position_refold) as recomputes,
  (select count(*) from ledger_audit) as audits

-- name: verify/count_repairs
-- Pools that wait for a repair.
select count(*) as repairs from pool_repair

-- name: verify/count_unranked_swaps
-- How many stored swaps the ranking has not read yet; null where no ranking has ever run.
select case
  when exists (select from checkpoint where actor = 'ranking' and stream_epoch is not null)
    or exists (select from ranking_cover)
    then (select coalesce(sum(swap_count), 0) from pool)
      - (select coalesce(sum(buy_count + sell_count), 0) from trader_hour)
end::bigint as unread

-- name: verify/count_unread_swaps
-- How many stored swaps the ledger has not read yet; null where no ledger has ever run.
select case
  when exists (select from checkpoint where actor = 'ledger' and stream_epoch is not null)
    then (select coalesce(sum(swap_count), 0) from pool)
      - (select coalesce(sum(swap_count), 0) from position)
end::bigint as unread

-- name: verify/export_snapshot
-- Exports this transaction's snapshot: the name by which another session can use it.
select pg_export_snapshot() as id

-- name: verify/find_ledger
-- Whether a ledger has ever run: otherwise its tables are no fold of the swaps.
select exists (select from checkpoint where actor = 'ledger' and stream_epoch is not null)
  or exists (select from ledger_cover) as has_ledger

-- name: verify/list_candles
-- Candles of pools at the three widths, each in the order of time.
-- $1 integer[]: pool ids, $2 $3 bigint: least and greatest bucket. Indexes: the primary keys, pool by pool, also where no
-- statistics exist.
select candle.*
from unnest($1::integer[]) as wanted (pool_id)
cross join lateral (
  select
    pool_id, 'candle_1m' as name, bucket_ms, open, high, low, close, first_slot, last_slot, volume_lamports,
    volume_units, trade_count, buy_count, trader_count, wide_trader_count
  from candle_1m
  where pool_id = wanted.pool_id and bucket_ms between $2 and $3
  union all
  select
    pool_id, 'candle_15m', bucket_ms, open, high, low, close, null, null, volume_lamports,
    volume_units, trade_count, buy_count, trader_count, wide_trader_count
  from candle_15m
  where pool_id = wanted.pool_id and bucket_ms between $2 and $3
  union all
  select
    pool_id, 'candle_4h', bucket_ms, open, high, low, close, null, null, volume_lamports,
    volume_units, trade_count, buy_count, trader_count, wide_trader_count
  from candle_4h
  where pool_id = wanted.pool_id and bucket_ms between $2 and $3
  offset 0
) as candle
order by candle.pool_id, candle.name, candle.bucket_ms

-- name: verify/list_chunks
-- Sealed lots of the wallets after one and up to another. $1 $2 integer: wallet ids.
-- Index: the primary key of lot_chunk.
select wallet_id, token_id, chunk, lots from lot_chunk where wallet_id > $1 and wallet_id <= $2

-- name: verify/list_day_pools
-- A page of pools that may have swaps in a range of slots, by id. $1 integer: id to go on after, $2 integer: how many, $3 $4 bigint: first
-- and last slot; null for all pools. Index: pool_pkey.
select pool.id, pool.pair_address, token.address as token_address, pool.swap_count
from pool
join token on token.id = pool.token_id
where pool.id > $1
  and ($3::bigint is null or (pool.first_slot <= $4::bigint and pool.last_slot >= $3::bigint))
order by pool.id
limit $2

-- name: verify/list_dollar_minutes
-- Minutes of pools of dollar mints. $1 integer[]: pool ids, $2 $3 bigint: least and greatest minute.
-- Index: dollar_minute_pkey.
select pool_id, bucket_ms, decimals, volume_lamports, volume_units
from dollar_minute
where pool_id = any ($1::integer[]) and bucket_ms between $2 and $3
order by pool_id, bucket_ms, decimals

-- name: verify/list_hours
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

-- name: verify/list_mints
-- Names of all mints.
select id, address from token

-- name: verify/list_mints_between
-- Names of mints that were traded. $1 $2 integer: from the first to before the second. Indexes: token_pkey, pool_token.
select id, address
from token
where id >= $1 and id < $2 and exists (select from pool where pool.token_id = token.id)

-- name: verify/list_pool_events
-- All events of pools, of each in chain order. $1 integer[]: pool ids. Index: pool_event_pool, pool by pool, as in list_candles.
select
  event.pool_id, event.slot, event.block_tx_index, event.ix_index, event.timestamp_ms, event.dex, event.event,
  event.signature, event.creator, event.from_pair, event.sol_amount, event.token_amount
from unnest($1::integer[]) as wanted (pool_id)
cross join lateral (
  select * from pool_event where pool_event.pool_id = wanted.pool_id offset 0
) as event
order by event.pool_id, event.slot, event.block_tx_index, event.ix_index, event.signature, event.event

-- name: verify/list_pool_traders
-- Minutes of all wallets in pools. $1 integer[]: pool ids, $2 $3 integer: first and last day since 1970.
-- Index: pool_trader_pkey, pool by pool, as in list_candles.
select
  stored.pool_id, stored.day, wallet.address as user_address, array_to_string(stored.minutes, ',') as minutes
from unnest($1::integer[]) as wanted (pool_id)
cross join lateral (
  select *
  from pool_trader
  where pool_trader.pool_id = wanted.pool_id and pool_trader.day between $2 and $3
  offset 0
) as stored
join wallet on wallet.id = stored.wallet_id

-- name: verify/list_pools
-- A page of pools by id, for folding them afresh.
-- Without pools that have nothing: interned for a batch that was not committed, or for events that were retracted.
-- $1 integer: id to go on after, $2 integer: how many. Index: pool_pkey.
select
  pool.id, pool.pair_address, token.address as token_address, pool.dex, pool.swap_count,
  pool.last_slot, pool.last_block_tx_index, pool.last_ix_index, pool.last_timestamp_ms,
  pool.last_is_buy, pool.last_signature, pool.last_user, pool.last_sol_amount,
  pool.last_token_amount, pool.last_sol_reserves, pool.last_token_reserves, pool.last_price_after,
  pool.corrected_pool_price, pool.migrated_at_ms, pool.migrated_from,
  pool.newest_ms, pool.last_price, pool.last_price_ms, pool.first_slot, pool.last_quote_decimals,
  pool.last_virtual_quote_reserves
from pool
join token on token.id = pool.token_id
where pool.id > $1
  and {+known_pool}
order by pool.id
limit $2

-- name: verify/list_positions
-- Positions of the wallets after one and up to another. $1 $2 integer: wallet ids.
-- Index: the primary key of position.
select
  {+stored_position_columns}
from position
where wallet_id > $1 and wallet_id <= $2

-- name: verify/list_served_pages
-- Pages of rankings as readers get them. `dex` and `is_gainer` are of movers; the others are of trending tokens. Reads
-- two small tables whole.
select window_minutes, has_rugged, sector, null::smallint as dex, null::boolean as is_gainer, total, token_ids
from trending_page
union all
select window_minutes, null, null, dex, is_gainer, 0, token_ids
from mover_page

-- name: verify/list_served_tokens
-- Figures of tokens as readers get them. `dex` null: of trending tokens, `changes` likewise. Reads two tables whole.
select token_id, null::smallint as dex, mint, window_minutes, changes, figures
from trending_token
union all
select token_id, dex, mint, window_minutes, null, figures
from mover_token

-- name: verify/list_slot_spans
-- Times of runs of slots over all lanes.
select width, bucket, min(first_ms) as first_ms, max(last_ms) as last_ms
from slot_span
group by width, bucket
order by width, bucket

-- name: verify/list_slot_spans_between
-- The same of runs that lie within a range of slots. $1 integer[]: widths, $2 $3 bigint: first and last slot.
-- Index: slot_span_pkey.
select width, bucket, min(first_ms) as first_ms, max(last_ms) as last_ms
from slot_span
where width = any ($1::integer[]) and bucket between $2 and $3
group by width, bucket
order by width, bucket

-- name: verify/list_snapshots
-- Snapshots of positions of the wallets after one and up to another. $1 $2 integer: wallet ids.
-- Index: the primary key of position_snapshot.
select wallet_id, token_id, swap_count, slot, first_chunk, state, hours is not null as is_of_day
from position_snapshot
where wallet_id > $1 and wallet_id <= $2

-- name: verify/list_starts
-- First swaps of tokens. $1 $2 integer: from the first to before the second. Index: token_start_pkey.
select token_id, first_ms from token_start where token_id >= $1 and token_id < $2

-- name: verify/list_tokens
-- All mints with their stored values, in the order of their addresses. $1 text: mint to continue after,
-- $2 integer: how many. Without tokens that have nothing, as verify/list_pools leaves out
-- pools, and without texts that were looked up (slot -1).
select address, creator, creator_slot, decimals, decimals_slot,
  case when symbol_slot is distinct from -1 then symbol end as symbol, nullif(symbol_slot, -1) as symbol_slot,
  case when name_slot is distinct from -1 then name end as name, nullif(name_slot, -1) as name_slot,
  supply, supply_slot, sector, sector_slot,
  case when uri_slot is distinct from -1 then uri end as uri, nullif(uri_slot, -1) as uri_slot,
  case when symbol_slot is distinct from -1 then symbol_key end as symbol_key,
  case when name_slot is distinct from -1 then name_key end as name_key, sector_key
from token
where address > $1
  and {+known_token}
order by address
limit $2

-- name: verify/list_venue_volumes
-- Volumes of venues over all lanes, in the order of the table's key. $1 integer[]: widths, $2 $3 bigint: least and greatest
-- bucket. Index: venue_volume_pkey.
select width, bucket_ms, dex, sum(trade_count)::text as trade_count, sum(volume_lamports)::text as volume_lamports
from venue_volume
where width = any ($1::integer[]) and bucket_ms between $2 and $3
group by width, bucket_ms, dex
order by width, bucket_ms, dex

-- name: verify/lock_day
-- Claims a day, once no other session holds it, for as long as the session lasts or until unlock_day. $1 integer: its number since 1970.
select pg_advisory_lock(hashtext('verify'), $1)

-- name: verify/read_bounds
-- Times of the first and the last swap, Unix ms; null without any. Reads all runs of slots: one that is wrong hides no day.
select min(first_ms) as first_ms, max(last_ms) as last_ms from slot_span

-- name: verify/read_served
-- The ranking snapshot that readers get, and whether its worker has refreshed it with everything that is stored. $1 integer:
-- version of the formulas. `is_settled`: FEED is read and refreshed up to one place, no token waits to be read again, and
-- windows end in the same minute. No row without a snapshot of this version, or where no worker maintains it.
-- Indexes: checkpoint_pkey, those of newest_swap_ms().
select
  snapshot.newest_ms, newest_swap_ms() as end_ms,
  snapshot.feed_sequence >= lane.sequence
    and not exists (select from token_change)
    and not exists (select from ranking_recount)
    and snapshot.newest_ms / 60000 = newest_swap_ms() / 60000 as is_settled
from ranking_roll as snapshot
join checkpoint as lane on lane.actor = 'ranking' and lane.lane = 0
where snapshot.formula_version = $1
  and lane.owner is not null
  and lane.leased_until between clock_timestamp() and clock_timestamp() + interval '1 minute'

-- name: verify/try_lock_day
-- Claims a day unless another session holds it. $1 integer: its number since 1970.
select pg_try_advisory_lock(hashtext('verify'), $1) as is_taken

-- name: verify/unlock_day
-- Gives a day back. $1 integer: its number since 1970.
select pg_advisory_unlock(hashtext('verify'), $1)
