-- name: ranking/advance_recount
-- Tokens before this one are counted. $1 integer: token.
update ranking_recount set next_token_id = $1

-- name: ranking/begin_recount
-- Starts a recount of all tokens, from the first on.
insert into ranking_recount (next_token_id) values (0)
on conflict (is_only) do update set next_token_id = 0

-- name: ranking/delete_covers_between
-- Deletes the watermarks of pages that begin from $1 to before $2, integers. Index: the primary key.
delete from ranking_cover where from_token_id >= $1 and from_token_id < $2

-- name: ranking/delete_hours_between
-- Tokens from $1 to before $2, integers. Index: the primary key.
delete from trader_hour where token_id >= $1 and token_id < $2

-- name: ranking/delete_minutes_between
-- Tokens from $1 to before $2, integers. Index: the primary key.
delete from trader_minute where token_id >= $1 and token_id < $2

-- name: ranking/delete_recount
-- All tokens are counted.
delete from ranking_recount

-- name: ranking/find_recount
-- The first token that is still to be recounted; no row when none is.
select next_token_id from ranking_recount

-- name: ranking/find_recount_page
-- Where a page of tokens ends: before this one. $1 integer: from this token on, $2 bigint: about so many
-- swaps, at least one token. Nothing when there are no more. Index: pool_token.
select token_id + 1 as to_token_id
from (
  select token_id, sum(sum(swap_count)) over (order by token_id) as swaps
  from (
    select token_id, swap_count from pool where token_id >= $1 order by token_id limit 20000
  ) as pool
  group by token_id
) as counted
order by swaps > $2 desc, case when swaps > $2 then token_id else -token_id end
limit 1

-- name: ranking/hold_chunks
-- Until the transaction ends no other creates a chunk of `swap`: creating one takes this lock, which conflicts with
-- itself only, so that swaps of existing chunks are stored meanwhile. A statement lists the chunks that it reads
-- before it takes its snapshot: without the lock it would see a commit and not the chunk that this created.
lock table swap in share update exclusive mode

-- name: ranking/insert_recounted
-- Counts tokens from the `swap` table, and notes what that took in: one statement, so one state of the
-- tables. $1 $2 integer: tokens from the first to before the second; $3 integer: wallets up to which a set
-- is exact. Nothing is stored of them but starts. Indexes: pool_token, swap_pool.
with trade as materialized (
  select
    pool.token_id, swap.timestamp_ms / 60000 * 60000 as minute_ms,
    swap.timestamp_ms / 3600000 * 3600000 as hour_ms, swap.timestamp_ms, swap.is_buy,
    mixed_wallet(swap.wallet_id) as wallet
  from pool
  join swap on swap.pool_id = pool.id
  where pool.token_id >= $1 and pool.token_id < $2
), minute as (
  select
    token_id, minute_ms, count(*) filter (where is_buy) as buy_count,
    count(*) filter (where not is_buy) as sell_count,
    coalesce(array_agg(distinct wallet) filter (where is_buy), '{}') as buyers,
    coalesce(array_agg(distinct wallet) filter (where not is_buy), '{}') as sellers
  from trade
  group by token_id, minute_ms
), hour as (
  select
    token_id, hour_ms, count(*) filter (where is_buy) as buy_count,
    count(*) filter (where not is_buy) as sell_count,
    coalesce(array_agg(distinct wallet) filter (where is_buy), '{}') as buyers,
    coalesce(array_agg(distinct wallet) filter (where not is_buy), '{}') as sellers
  from trade
  group by token_id, hour_ms
), minutes_inserted as (
  insert into trader_minute (
    token_id, bucket_ms, buy_count, sell_count, buyers_below, sellers_below, buyers, sellers
  )
  select token_id, minute_ms, buy_count, sell_count, buyers[$3 + 1], sellers[$3 + 1],
    buyers[1:$3], sellers[1:$3]
  from minute
), hours_inserted as (
  insert into trader_hour (
    token_id, bucket_ms, buy_count, sell_count, buyers_below, sellers_below, buyers, sellers
  )
  select token_id, hour_ms, buy_count, sell_count, buyers[$3 + 1], sellers[$3 + 1],
    buyers[1:$3], sellers[1:$3]
  from hour
), starts_inserted as (
  insert into token_start as stored (token_id, first_ms)
  select token_id, min(timestamp_ms) from trade group by token_id
  on conflict (token_id) do update set first_ms = excluded.first_ms
), covered as (
  insert into ranking_cover (from_token_id, to_token_id, pool_lane, commit_number)
  select $1, $2, lane, commit_number from checkpoint where actor = 'pool'
)
select count(*) as swap_count from trade

-- name: ranking/list_covers
-- Watermarks of the recounts of tokens. Reads the whole of a small table.
select from_token_id, to_token_id, pool_lane, commit_number from ranking_cover

-- name: ranking/recount_market_buckets
-- Adds the traders of buckets of the market, from the `swap` table. Pairwise: $1 boolean[] is_hour, $2 bigint[] bucket_ms.
-- Runs of slots before and after a bucket are skipped. Indexes: slot_span_pkey, swap_order, market_trader_pkey.
insert into market_trader
select distinct wanted.is_hour, wanted.bucket_ms, mixed_wallet(swap.wallet_id)
from (
  select given.*, case when given.is_hour then 3600000 else 60000 end as width_ms
  from unnest($1::boolean[], $2::bigint[]) as given (is_hour, bucket_ms)
) as wanted
cross join lateral (
  select min(bucket) as first_slot, max(bucket) + 10000 as end_slot
  from slot_span
  where width = 10000
    and last_ms >= wanted.bucket_ms and first_ms < wanted.bucket_ms + wanted.width_ms
) as span
join swap on swap.slot >= span.first_slot and swap.slot < span.end_slot
  and swap.timestamp_ms >= wanted.bucket_ms
  and swap.timestamp_ms < wanted.bucket_ms + wanted.width_ms
on conflict do nothing

-- name: ranking/recount_market_traders
-- Adds who traded since an hour, from the `swap` table. $1 bigint: Unix ms. Runs of slots that ended before
-- it are passed over. Indexes: slot_span_pkey, swap_order, market_trader_pkey.
insert into market_trader
with minutes as materialized (
  select distinct timestamp_ms / 60000 * 60000 as bucket_ms, wallet_id
  from swap
  where slot >= (select min(bucket) from slot_span where width = 10000 and last_ms >= $1)
    and timestamp_ms >= $1
)
select false, bucket_ms, mixed_wallet(wallet_id)
from minutes
union all
select true, bucket_ms, mixed_wallet(wallet_id)
from (select distinct bucket_ms / 3600000 * 3600000 as bucket_ms, wallet_id from minutes) as hours
on conflict do nothing
