-- name: retraction/clear_venues
-- Pools without a swap have no venue. $1 integer[]: pool ids. Index: pool_pkey.
update pool set dex = null where id = any ($1::integer[]) and swap_count = 0 and dex is not null

-- name: retraction/delete_chart_days
-- Stored days of the charts of wallets that hold or held tokens, to be computed again. $1 integer[]: token ids,
-- $2 bigint: the first day's beginning, Unix ms. Indexes: position_token, the primary key.
delete from chart_day
where day_ms >= $2
  and day_ms >= first_reopened_day_ms()
  and wallet_id in (select wallet_id from position where token_id = any ($1::integer[]))

-- name: retraction/delete_conflicts
-- Conflicts that are none any more. $1 bigint[]: ids. Index: event_conflict_pkey.
delete from event_conflict where id = any ($1::bigint[])

-- name: retraction/delete_dollar_minutes
-- Priced trades of minutes that are recomputed. Pairwise: $1 integer[] pool_id, $2 bigint[] bucket_ms. Index: the
-- primary key.
delete from dollar_minute
using unnest($1::integer[], $2::bigint[]) as gone (pool_id, bucket_ms)
where dollar_minute.pool_id = gone.pool_id and dollar_minute.bucket_ms = gone.bucket_ms

-- name: retraction/delete_gone_traders
-- Wallets without a minute left in a pool on a day. Pairwise: $1 integer[] pool_id, $2 integer[] day, $3 integer[]
-- wallet_id. Index: pool_trader_pkey.
delete from pool_trader as stored
using unnest($1::integer[], $2::integer[], $3::integer[]) as gone (pool_id, day, wallet_id)
where stored.pool_id = gone.pool_id and stored.day = gone.day
  and stored.wallet_id = gone.wallet_id

-- name: retraction/delete_minutes
-- Minutes of pools that are recomputed; returns what their traders were counted to be. Pairwise: $1 integer[] pool_id,
-- $2 bigint[] bucket_ms; $3 $4 bigint: least and greatest of the buckets. Index: candle_1m_pkey.
delete from candle_1m
using unnest($1::integer[], $2::bigint[]) as gone (pool_id, bucket_ms)
where candle_1m.pool_id = gone.pool_id and candle_1m.bucket_ms = gone.bucket_ms
  and candle_1m.bucket_ms between $3::bigint and $4::bigint
returning candle_1m.pool_id, candle_1m.bucket_ms, candle_1m.trader_count, candle_1m.wide_trader_count

-- name: retraction/delete_signatures
-- Forgets signatures of transactions in a slot. $1 bigint: slot; pairwise: $2 bigint[] signature hash, $3 integer[] pair
-- hash, $4 bigint[] block_tx_index. Index: swap_signature_key.
delete from swap_signature
using unnest($2::bigint[], $3::integer[], $4::bigint[]) as gone (signature_hash, pair_hash, block_tx_index)
where swap_signature.signature_hash = gone.signature_hash
  and swap_signature.pair_hash = gone.pair_hash
  and swap_signature.slot = $1
  and swap_signature.block_tx_index = gone.block_tx_index

-- name: retraction/delete_span
-- A run of slots, as all lanes have it. $1 integer: width, $2 bigint: bucket. Index: the primary key.
delete from slot_span where width = $1 and bucket = $2

-- name: retraction/delete_wider
-- Wider candles of pools that are merged again; returns what their traders were counted to be. Pairwise: $1 integer[]
-- pool_id, $2 bigint[] bucket_ms; $3 $4 bigint: least and greatest of the buckets. Index: {table}_pkey.
-- variant 15m: table = candle_15m
-- variant 4h: table = candle_4h
delete from {table} as candle
using unnest($1::integer[], $2::bigint[]) as gone (pool_id, bucket_ms)
where candle.pool_id = gone.pool_id and candle.bucket_ms = gone.bucket_ms
  and candle.bucket_ms between $3::bigint and $4::bigint
returning candle.pool_id, candle.bucket_ms, candle.trader_count, candle.wide_trader_count

-- name: retraction/find_pending
-- The first retraction that a pool lane has not applied. $1 smallint: lane. Index: retraction_lane.
select slot, blockhash from retraction
where lane = $1 and not is_applied
order by slot, blockhash
limit 1

-- name: retraction/find_span
-- First and last time of the narrower runs of slots within a wider one; null where there is none. $1 integer: narrower width,
-- $2 bigint: first slot, $3 bigint: end. Index: the primary key.
select min(first_ms) as first_ms, max(last_ms) as last_ms
from slot_span
where width = $1 and bucket >= $2 and bucket < $3

-- name: retraction/find_unfinished
-- The first retraction that other lanes have left unfinished and that this lane has not applied in its present pools: one of
-- them has not applied it or has not read it, or their number has changed meanwhile. $1 smallint: lane, $2 smallint: number
-- of lanes. Reads the whole table: retractions are rare.
select slot, blockhash
from (select slot, blockhash, lane, is_applied, coalesce(lane_count, $2) as lane_count from retraction) as noted
group by slot, blockhash
having not bool_or(lane = $1 and lane_count = $2)
  and (not bool_and(is_applied) or count(*) < max(lane_count) or min(lane_count) < max(lane_count))
order by slot, blockhash
limit 1

-- name: retraction/finish_former_lanes
-- Rows of a retraction by lanes that are no more count as applied when each present lane has a row. $1 bigint: slot, $2 text:
-- blockhash, $3 smallint: number of lanes. Index: retraction_pkey.
update retraction
set is_applied = true
where slot = $1 and blockhash = $2 and lane >= $3 and not is_applied
  and $3 = (
    select count(*) from retraction as present
    where present.slot = $1 and present.blockhash = $2 and present.lane < $3
      and coalesce(present.lane_count, $3) = $3
  )

-- name: retraction/finish_retraction
-- A retraction is applied. $1 bigint: slot, $2 text: blockhash, $3 smallint: lane, $4 $5 integer: swaps and pool events, which
-- add to those that the lane took out before when it had other pools; $6 smallint: number of lanes. Index: the primary key.
insert into retraction as stored (
  slot, blockhash, lane, is_applied, swap_count, pool_event_count, lane_count
)
values ($1, $2, $3, true, $4, $5, $6)
on conflict (slot, blockhash, lane) do update set
  is_applied = true,
  swap_count = stored.swap_count + excluded.swap_count,
  pool_event_count = stored.pool_event_count + excluded.pool_event_count,
  lane_count = excluded.lane_count,
  retracted_at = excluded.retracted_at

-- name: retraction/insert_retractions
-- Retractions that a pool lane is to apply. Pairwise: $1 bigint[] slot, $2 text[] blockhash ('': not given); $3 smallint
-- lane, $4 smallint: number of lanes. Index: the primary key.
insert into retraction (slot, blockhash, lane, lane_count)
select given.slot, given.blockhash, $3, $4
from unnest($1::bigint[], $2::text[]) as given (slot, blockhash)
on conflict (slot, blockhash, lane) do nothing

-- name: retraction/insert_span
-- Times of a run of slots. $1 smallint: lane, $2 integer: width, $3 bigint: bucket, $4 $5 bigint: first and last time.
insert into slot_span (lane, width, bucket, first_ms, last_ms) values ($1, $2, $3, $4, $5)

-- name: retraction/insert_token_changes
-- Notifies rankings that candles and traders of tokens changed. $1 integer[]: token ids.
insert into token_change (token_id, of_candles) select unnest($1::integer[]), true

-- name: retraction/insert_wider
-- Wider candles of pools, merged from their minutes. Pairwise: $1 integer[] pool_id, $2 bigint[] bucket_ms; $3 $4
-- bigint: least of the buckets, and the end of the last. A sum is null where one of the minutes was never counted; no
-- traders are counted yet. Index: candle_1m_pkey.
-- variant 15m: table = candle_15m; width_ms = 900000
-- variant 4h: table = candle_4h; width_ms = 14400000
insert into {table} (
  pool_id, trade_count, bucket_ms, open, high, low, close, volume_lamports, volume_units, buy_count,
  trader_count, wide_trader_count
)
select
  wanted.pool_id, sum(minute.trade_count)::integer, wanted.bucket_ms,
  (array_agg(minute.open order by minute.bucket_ms) filter (where minute.open is not null))[1],
  max(minute.high), min(minute.low),
  (array_agg(minute.close order by minute.bucket_ms desc) filter (where minute.close is not null))[1],
  sum(minute.volume_lamports),
  case when count(minute.volume_units) = count(*) then sum(minute.volume_units) end,
  case when count(minute.buy_count) = count(*) then sum(minute.buy_count)::integer end, 0, 0
from unnest($1::integer[], $2::bigint[]) as wanted (pool_id, bucket_ms)
join candle_1m as minute on minute.pool_id = wanted.pool_id
  and minute.bucket_ms >= wanted.bucket_ms and minute.bucket_ms < wanted.bucket_ms + {width_ms}
where minute.bucket_ms >= $3::bigint and minute.bucket_ms < $4::bigint
group by wanted.pool_id, wanted.bucket_ms
returning pool_id, bucket_ms

-- name: retraction/judge_retraction
-- Judges a retraction, unless it has been judged before: it is refused where its slot was before the first day that may be
-- retracted. $1 bigint: slot, $2 text: blockhash ('': not given), $3 bigint: ms from that day's beginning to that of the newest
-- swap's. Result: is_refused; slot_ms: when about the slot was, by the swaps of its hundred slots, Unix ms; null where none
-- is stored. Indexes: slot_span_pkey, retraction_pkey, retraction_verdict_pkey.
with stored as (
  select max(last_ms) as slot_ms from slot_span where width = 100 and bucket = $1::bigint / 100 * 100
)
insert into retraction_verdict as judged (slot, blockhash, is_refused)
select
  $1, $2,
  coalesce(slot_ms < newest_swap_ms() / 86400000 * 86400000 - $3::bigint, false)
    and not exists (select from retraction where slot = $1 and blockhash = $2)
from stored
on conflict (slot, blockhash) do update set is_refused = judged.is_refused
returning is_refused, (select slot_ms from stored) as slot_ms

-- name: retraction/list_all_blocks
-- Blocks that were retracted in any lane; a blockhash of '' is every block of the slot. Index: the primary key.
select distinct slot, blockhash from retraction

-- name: retraction/list_committed
-- The retraction that a transaction applied. $1 text: transaction (xid8), $2 smallint: lane. Index: retraction_lane.
select slot, blockhash from retraction where lane = $2 and is_applied and xmin = $1::xid8::xid

-- name: retraction/list_conflicts
-- Conflicts in which a version of a slot takes part. $1 bigint: slot. Indexes: event_conflict_stored_slot,
-- event_conflict_kept_out_slot.
select id, pair_address, stored, kept_out
from event_conflict
where stored_slot = $1 or kept_out_slot = $1

-- name: retraction/list_readmitted
-- Rejected versions that are to be accepted, of all lanes, in the order in which they came. $1 bigint: id after which the list
-- continues, $2 integer: how many. Index: event_conflict_readmit.
select id, pair_address, kept_out
from event_conflict
where readmit_lane is not null and id > $1
order by id
limit $2

-- name: retraction/list_retracted_pool_events
-- Pool events that a transaction retracted. $1 bigint: slot, $2 text: transaction (xid8). Index:
-- retracted_pool_event_order.
select
  {+stored_pool_event_columns}
from retracted_pool_event as pool_event
join pool on pool.id = pool_event.pool_id
join token on token.id = pool.token_id
where pool_event.slot = $1 and pool_event.xmin = $2::xid8::xid

-- name: retraction/list_retracted_swaps
-- Swaps that a transaction retracted. $1 bigint: slot, $2 text: transaction (xid8). Index: retracted_swap_order.
select
  {+stored_swap_columns}, swap.wallet_tags
from retracted_swap as swap
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
join wallet on wallet.id = swap.wallet_id
where swap.slot = $1 and swap.xmin = $2::xid8::xid

-- name: retraction/list_slot_pool_events
-- All stored pool events of a slot. $1 bigint: slot. Index: pool_event_order.
select
  {+stored_pool_event_columns},
  pool_event.pool_id, pool.token_id
from pool_event
join pool on pool.id = pool_event.pool_id
join token on token.id = pool.token_id
where pool_event.slot = $1

-- name: retraction/lock_sums
-- Volumes of venues and times of slots change by this transaction only until its end: their rows of all lanes are merged.
-- In the order in which pool/merge_sums locks the two, else a commit and a retraction would wait for each other.
lock table slot_span, venue_volume in share row exclusive mode

-- name: retraction/promote_signatures
-- Gives the copy 0 of a signature and pair, which refuses a second delivery, to the least that is left. Pairwise:
-- $1 bigint[] signature hash, $2 integer[] pair hash. Index: swap_signature_key.
update swap_signature
set copy = 0
from (
  select stored.signature_hash, stored.pair_hash, min(stored.copy) as copy
  from unnest($1::bigint[], $2::integer[]) as gone (signature_hash, pair_hash)
  join swap_signature as stored
    on stored.signature_hash = gone.signature_hash and stored.pair_hash = gone.pair_hash
  group by stored.signature_hash, stored.pair_hash
) as least
where swap_signature.signature_hash = least.signature_hash
  and swap_signature.pair_hash = least.pair_hash
  and swap_signature.copy = least.copy
  and least.copy > 0

-- name: retraction/readmit_conflicts
-- Conflicts whose rejected version a lane is to accept. $1 bigint[]: ids, $2 smallint: lane. Index: event_conflict_pkey.
update event_conflict set readmit_lane = $2 where id = any ($1::bigint[])

-- name: retraction/reset_profiles
-- Deletes the tags of wallets that created a pool of which the creation was retracted: they are computed again when they are
-- read. $1 text[]: addresses. Indexes: wallet_address_key, wallet_profile_pkey, the primary key of wallet_tag.
with reset as (
  update wallet_profile
  set computed_ms = 0, tags = 0, changed_by = pg_current_xact_id()
  from wallet
  where wallet.address = any ($1) and wallet_profile.wallet_id = wallet.id
  returning wallet_profile.wallet_id
)
delete from wallet_tag
using reset
where wallet_tag.wallet_id = reset.wallet_id

-- name: retraction/subtract_venue_volumes
-- Takes retracted swaps from the volumes of venues: sums of integers, so exact. The rows of all lanes are merged into one, as
-- the swaps may have been another lane's. $1 smallint: lane of the merged row; pairwise: $2 integer[] width, $3 bigint[]
-- bucket_ms, $4 smallint[] dex, $5 bigint[] trade_count, $6 numeric[] volume_lamports. Index: the primary key.
with gone as (
  select *
  from unnest($2::integer[], $3::bigint[], $4::smallint[], $5::bigint[], $6::numeric[])
    as gone (width, bucket_ms, dex, trade_count, volume_lamports)
), taken as (
  delete from venue_volume as stored
  using gone
  where stored.width = gone.width and stored.bucket_ms = gone.bucket_ms and stored.dex = gone.dex
  returning stored.*
)
insert into venue_volume (width, bucket_ms, dex, lane, trade_count, volume_lamports)
select
  width, bucket_ms, dex, $1, sum(taken.trade_count) - gone.trade_count,
  sum(taken.volume_lamports) - gone.volume_lamports
from taken
join gone using (width, bucket_ms, dex)
group by width, bucket_ms, dex, gone.trade_count, gone.volume_lamports
having sum(taken.trade_count) > gone.trade_count

-- name: retraction/take_pool_events
-- Moves the pool events of a block in pools to the retracted ones, whose columns are those of `pool_event` in the same
-- order. $1 bigint: slot, $2 integer[]: pool ids, $3 text: blockhash, '' for every block of the slot. Index: pool_event_order.
with taken as (
  delete from pool_event
  where slot = $1 and pool_id = any ($2::integer[])
    and ($3 = '' or coalesce(blockhash, $3) = $3)
  returning *
)
insert into retracted_pool_event
select * from taken

-- name: retraction/take_swaps
-- Moves the swaps of a block in pools to the retracted ones, whose columns are those of `swap` in the same order.
-- $1 bigint: slot, $2 integer[]: pool ids, $3 text: blockhash, '' for every block of the slot. Index: swap_order.
with taken as (
  delete from swap
  where slot = $1 and pool_id = any ($2::integer[])
    and ($3 = '' or coalesce(blockhash, $3) = $3)
  returning *
)
insert into retracted_swap
select * from taken
