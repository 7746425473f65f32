-- name: swap-history/find_last_slot_until
-- The greatest slot of a swap up to a slot; null without one. $1 bigint: slot. Index: swap_order.
select max(slot) as slot from swap where slot <= $1::bigint

-- name: swap-history/find_later_slot
-- The lowest slot with a swap later than a time; no row without one. $1 bigint: Unix ms. By runs of 10,000 slots, then of
-- 100, then the swaps of such a run: the row of a run is of one lane, so that several may have one run. Index:
-- slot_span_pkey, swap_order.
select found.slot
from slot_span as coarse
cross join lateral (
  select later.slot
  from slot_span as fine
  cross join lateral (
    select slot
    from swap
    where slot between fine.bucket and fine.bucket + 99 and timestamp_ms > $1::bigint
    order by slot
    limit 1
  ) as later
  where fine.width = 100 and fine.bucket between coarse.bucket and coarse.bucket + 9999
    and fine.last_ms > $1::bigint
  order by fine.bucket
  limit 1
) as found
where coarse.width = 10000 and coarse.last_ms > $1::bigint
order by coarse.bucket
limit 1

-- name: swap-history/find_swap_times
-- First and last time of the swaps of a run of slots; null without a swap. $1 bigint: first slot, $2 bigint: end. Index:
-- swap_order.
select min(timestamp_ms) as first_ms, max(timestamp_ms) as last_ms
from swap
where slot >= $1 and slot < $2

-- name: swap-history/insert_recounted
-- Counts tokens from the `swap` table, and notes what that took in: one statement, so one state of the
-- tables. $1 $2 integer: tokens from the first to before the second; $3 integer: wallets up to which a set
-- is exact; $4 bigint: of swaps from this time on, Unix ms, 0 for all. Nothing is stored of them but starts. Indexes: pool_token, swap_pool.
with trade as materialized (
  select
    pool.token_id, swap.timestamp_ms / 60000 * 60000 as minute_ms,
    swap.timestamp_ms / 3600000 * 3600000 as hour_ms, swap.timestamp_ms, swap.is_buy,
    mixed_wallet(swap.wallet_id) as wallet
  from pool
  join swap on swap.pool_id = pool.id
  where pool.token_id >= $1 and pool.token_id < $2 and swap.timestamp_ms >= $4
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
  on conflict (token_id) do update set
    first_ms = case when $4 = 0 then excluded.first_ms else least(stored.first_ms, excluded.first_ms) end
), covered as (
  insert into ranking_cover (from_token_id, to_token_id, pool_lane, commit_number)
  select $1, $2, lane, commit_number from checkpoint where actor = 'pool'
)
select count(*) as swap_count from trade

-- name: swap-history/list_gap_times
-- Times of the swaps next to gaps, in the order of the gaps. Pairwise: $1 bigint[], $2 bigint[]: first and last slot.
-- Result: before_ms, after_ms: Unix ms of the newest swap before and of the first one after; null without one.
-- Index: swap_order, one entry each, and those that tie with it.
select
  (
    select timestamp_ms from swap where slot < gap.from_slot
    order by slot desc, block_tx_index desc, ix_index desc, dex desc, timestamp_ms desc limit 1
  ) as before_ms,
  (
    select timestamp_ms from swap where slot > gap.to_slot
    order by slot, block_tx_index, ix_index, dex, timestamp_ms limit 1
  ) as after_ms
from unnest($1::bigint[], $2::bigint[]) with ordinality as gap (from_slot, to_slot, ordinal)
order by gap.ordinal

-- name: swap-history/list_slot_swaps
-- All stored swaps of a slot. $1 bigint: slot. Index: swap_order.
select
  {+stored_swap_columns}, swap.wallet_tags, swap.wallet_id, pool.token_id
from swap
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
join wallet on wallet.id = swap.wallet_id
where swap.slot = $1

-- name: swap-history/list_whole_slots
-- Swaps after a slot, whole slots. $1 bigint: slot, $2 bigint: last slot, $3 integer: rows;
-- $4 smallint[]: venues, null for all; $5 bigint, $6 bigint: first and last timestamp_ms.
-- Result: at least $3 if so many exist, and all of the last slot. Unordered: the caller sorts.
-- Index: swap_order; a chunk is opened only when the one before did not fill the page.
select
  {+stored_swap_columns}, swap.wallet_tags
from (
  select *
  from swap
  where slot > $1 and slot <= $2
    and ($4::smallint[] is null or dex = any ($4))
    and timestamp_ms between $5 and $6
  order by slot
  fetch first $3 rows with ties
) swap
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
join wallet on wallet.id = swap.wallet_id

-- name: swap-history/read_latest_until
-- The greatest time of a swap up to a slot, Unix ms; null without one. $1 bigint: slot. Whole runs of slots by their rows, at the three
-- widths, and the swaps of the last run of 100. Index: slot_span_pkey, swap_order.
select greatest(
  (
    select max(last_ms) from slot_span
    where width = 1000000000 and bucket + 1000000000 <= $1::bigint + 1
  ),
  (
    select max(last_ms) from slot_span
    where width = 10000
      and bucket >= ($1::bigint + 1) / 1000000000 * 1000000000 and bucket + 10000 <= $1::bigint + 1
  ),
  (
    select max(last_ms) from slot_span
    where width = 100
      and bucket >= ($1::bigint + 1) / 10000 * 10000 and bucket + 100 <= $1::bigint + 1
  ),
  (
    select max(timestamp_ms) from swap
    where slot >= ($1::bigint + 1) / 100 * 100 and slot <= $1::bigint
  )
) as latest_ms

-- name: swap-history/recompute_starts
-- The first swaps of tokens, by the stored ones: in the first minute of each of their pools. $1 integer[]: token ids.
-- Indexes: pool_token, candle_1m_pkey, swap_pool.
with first as (
  select
    wanted.token_id,
    (
      select min(swap.timestamp_ms)
      from pool
      cross join lateral (
        select bucket_ms, first_slot, last_slot
        from candle_1m
        where candle_1m.pool_id = pool.id
        order by bucket_ms
        limit 1
      ) as minute
      join swap on swap.pool_id = pool.id
        and swap.slot >= minute.first_slot and swap.slot <= minute.last_slot
        and swap.timestamp_ms < minute.bucket_ms + 60000
      where pool.token_id = wanted.token_id
    ) as first_ms
  from unnest($1::integer[]) as wanted (token_id)
), gone as (
  delete from token_start
  using first
  where token_start.token_id = first.token_id and first.first_ms is null
)
update token_start
set first_ms = first.first_ms
from first
where token_start.token_id = first.token_id and first.first_ms is not null

-- name: swap-history/recount_market_buckets
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

-- name: swap-history/recount_market_traders
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
