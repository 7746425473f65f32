-- name: sealed-history/find_peak_minute
-- The minute that has the highest price of a mint's top pool, as find_peak finds it. $1 text: mint. Result: pool_id, first
-- and last slot of its swaps; no row without a price. Index: token_address_key, candle_4h_pkey, candle_1m_pkey, those of
-- token_prices().
select priced.pool_id, minute.first_slot, minute.last_slot
from token_prices(array(select id from token where address = $1)) as priced
cross join lateral (
  select bucket_ms
  from candle_4h
  where candle_4h.pool_id = priced.pool_id and high is not null
  order by high desc, bucket_ms
  limit 1
) as four
cross join lateral (
  select first_slot, last_slot
  from candle_1m
  where candle_1m.pool_id = priced.pool_id
    and bucket_ms >= four.bucket_ms
    and bucket_ms < four.bucket_ms + 14400000
    and high is not null
  order by high desc, bucket_ms
  limit 1
) as minute

-- name: sealed-history/find_wallet
-- The id of a wallet. $1 text: address. Index: wallet_address_key.
select id from wallet where address = $1

-- name: sealed-history/list_first_token_minutes
-- The first minute of each pool of tokens. $1 integer[]: token ids. Result: pool_id, first and last slot of its swaps.
-- Indexes: pool_token, candle_1m_pkey.
select pool.id as pool_id, minute.first_slot, minute.last_slot
from pool
cross join lateral (
  select first_slot, last_slot
  from candle_1m
  where candle_1m.pool_id = pool.id
  order by bucket_ms
  limit 1
) as minute
where pool.token_id = any ($1::integer[])

-- name: sealed-history/find_dropped_pool
-- A pool of which a swap was dropped that is of a slot or later. Pairwise: $1 integer[] pool id, $2 bigint[] slot. No row: none. Index:
-- last_dropped_swap_pool.
select last.pool_id
from unnest($1::integer[], $2::bigint[]) as wanted (pool_id, slot)
join last_dropped_swap as last on last.pool_id = wanted.pool_id and last.slot >= wanted.slot
limit 1

-- name: sealed-history/find_dropped_position
-- A position that may hold dropped swaps. $1 integer[]: wallet ids, $2 integer[]: pool ids, null for all, $3 bigint: the time before
-- which all dropped swaps are, Unix ms. No row: none. Indexes: the primary key of position, pool_pkey.
select wallet_id
from position
where wallet_id = any ($1::integer[])
  and first_trade_ms < $3
  and ($2::integer[] is null or token_id in (select token_id from pool where id = any ($2::integer[])))
limit 1

-- name: sealed-history/list_arbitrage_bounds
-- Wallets of which in some hours at least half of the transactions, and at least 3, may have bought and sold the same mint.
-- $1 $2 bigint: beginning of the first and of the last hour, Unix ms. Result: is_sure: they have; else their swaps decide.
-- A transaction that touches two mints is counted in the hours of both, so sums over mints bound the number from above,
-- and the mint with the most of an hour bounds it from below. Index: the primary key of position_hour.
with candidate as materialized (
  select hour.wallet_id
  from position_hour hour
  where hour.hour_ms between $1 and $2 and hour.arbitrage_count > 0
  group by hour.wallet_id
  having sum(hour.arbitrage_count) >= 3
),
by_mint as (
  select hour.wallet_id, hour.hour_ms, hour.token_id,
    sum(hour.transaction_count) as transactions, sum(hour.arbitrage_count) as arbitrages
  from position_hour hour
  where hour.wallet_id = any (array(select candidate.wallet_id from candidate))
    and hour.hour_ms between $1 and $2
  group by hour.wallet_id, hour.hour_ms, hour.token_id
),
by_hour as (
  select by_mint.wallet_id,
    max(by_mint.transactions) as transactions_least, sum(by_mint.transactions) as transactions_most,
    max(by_mint.arbitrages) as arbitrages_least, sum(by_mint.arbitrages) as arbitrages_most
  from by_mint
  group by by_mint.wallet_id, by_mint.hour_ms
),
bound as materialized (
  select by_hour.wallet_id,
    sum(arbitrages_least) >= 3 and 2 * sum(arbitrages_least) >= sum(transactions_most) as is_sure
  from by_hour
  group by by_hour.wallet_id
  having 2 * sum(arbitrages_most) >= sum(transactions_least)
)
select wallet_id, is_sure from bound

-- name: sealed-history/list_first_slots
-- The first slots of pools. $1 integer[]: pool ids. Index: pool_pkey.
select id as pool_id, coalesce(first_slot, 0) as first_slot from pool where id = any ($1::integer[])

-- name: sealed-history/list_held_positions
-- A page of positions that hold a balance, by wallet and mint. $1 text, $2 text: those after which it begins, $3 integer: rows.
-- Result: ids, addresses, swap_count, last_slot. Index: wallet_address_key, the primary key of position.
select
  position.wallet_id, position.token_id, wallet.address as wallet, token.address as mint,
  position.swap_count, position.last_slot
from position
join wallet on wallet.id = position.wallet_id
join token on token.id = position.token_id
where position.balance > 0 and (wallet.address, token.address) > ($1::text collate "C", $2::text collate "C")
order by wallet.address, token.address
limit $3

-- name: sealed-history/list_later_runs
-- Runs of 100 slots with a swap later than a time, ascending. $1 bigint: Unix ms, $2 bigint: the first run to look at, $3 integer:
-- how many. Index: slot_span_pkey.
select distinct bucket
from slot_span
where width = 100 and bucket >= $2 and last_ms > $1
order by bucket
limit $3

-- name: sealed-history/list_last_dropped
-- The last dropped swaps of pools, but for those that stay in `swap`. $1 integer[]: pool ids. Index: last_dropped_swap_pool.
select
  {+swap_columns}
from last_dropped_swap
where pool_id = any ($1::integer[]) and not stays

-- name: sealed-history/list_market_spans
-- Slots that hold all swaps of buckets of the market. Pairwise: $1 boolean[] is_hour, $2 bigint[] bucket_ms. Result: null for a
-- bucket without a swap. Index: slot_span_pkey.
select span.low_slot, span.high_slot
from (
  select given.*, case when given.is_hour then 3600000 else 60000 end as width_ms
  from unnest($1::boolean[], $2::bigint[]) as given (is_hour, bucket_ms)
) as wanted
cross join lateral (
  select min(bucket) as low_slot, max(bucket) + least(9999, 9007199254740991 - max(bucket)) as high_slot
  from slot_span
  where width = 10000
    and last_ms >= wanted.bucket_ms and first_ms < wanted.bucket_ms + wanted.width_ms
) as span

-- name: sealed-history/list_newest_minutes
-- The newest minute of pools. $1 integer[]: pool ids. Result: pool_id, first and last slot of its swaps; no row for a pool
-- without one. Index: candle_1m_pkey.
select wanted.pool_id, minute.first_slot, minute.last_slot
from unnest($1::integer[]) as wanted (pool_id)
cross join lateral (
  select first_slot, last_slot
  from candle_1m
  where candle_1m.pool_id = wanted.pool_id
  order by bucket_ms desc
  limit 1
) as minute

-- name: sealed-history/list_pool_page
-- A page of pools. $1 integer: id after which it begins, $2 integer: rows. Index: pool_pkey.
select id as pool_id, swap_count, coalesce(first_slot, 0) as first_slot
from pool
where id > $1
order by id
limit $2

-- name: sealed-history/list_pools_between
-- Pools of tokens that may have sealed swaps. $1 $2 integer: tokens from the first to before the second, $3 bigint: the last
-- sealed slot. Index: pool_token.
select id as pool_id, swap_count
from pool
where token_id >= $1 and token_id < $2 and coalesce(first_slot, 0) <= $3

-- name: sealed-history/list_priced_minutes
-- The newest two minutes with a price of pools, up to a time. $1 integer[]: pool ids, $2 bigint: Unix ms. Result: pool_id, first
-- and last slot of their swaps. Index: candle_1m_pkey.
select wanted.pool_id, minute.first_slot, minute.last_slot
from unnest($1::integer[]) as wanted (pool_id)
cross join lateral (
  select first_slot, last_slot
  from candle_1m
  where candle_1m.pool_id = wanted.pool_id and bucket_ms <= $2 and open is not null
  order by bucket_ms desc
  limit 2
) as minute

-- name: sealed-history/find_slot_times
-- Times between which all swaps up to a slot are. $1 bigint: slot. Result: one row, Unix ms; null without a swap. Index:
-- slot_span_pkey.
select min(first_ms) as first_ms, max(last_ms) as last_ms
from slot_span
where width = 10000 and bucket <= $1

-- name: sealed-history/list_time_span
-- Slots that hold all swaps of some time. $1 bigint: Unix ms; $2 bigint: Unix ms before which they are, null for any. Result: one
-- row; null without a swap. Index: slot_span_pkey.
select min(bucket) as low_slot, max(bucket) + least(9999, 9007199254740991 - max(bucket)) as high_slot
from slot_span
where width = 10000 and last_ms >= $1 and ($2::bigint is null or first_ms < $2)

-- name: sealed-history/list_token_minutes
-- Minutes of the pools of tokens within buckets. Pairwise: $1 integer[] token_id, $2 bigint[] bucket_ms; $3 integer: width of
-- the buckets, ms. Result: pool_id, first and last slot of its swaps. Indexes: pool_token, candle_1m_pkey.
select minute.pool_id, minute.first_slot, minute.last_slot
from unnest($1::integer[], $2::bigint[]) as wanted (token_id, bucket_ms)
join pool on pool.token_id = wanted.token_id
join candle_1m as minute on minute.pool_id = pool.id
  and minute.bucket_ms >= wanted.bucket_ms and minute.bucket_ms < wanted.bucket_ms + $3::integer

-- name: sealed-history/list_token_pools
-- Pools of tokens. $1 integer[]: token ids. Result: `first_slot` is null for a pool without a swap. Index: pool_token.
select id as pool_id, token_id, first_slot from pool where token_id = any ($1::integer[])

-- name: sealed-history/list_uncounted_hours
-- Hours whose transactions merge_transactions counts, of those with slots that are sealed. $1 bigint: the last sealed slot, $2
-- integer: how many. Result: wallet_id, hour_ms, first and last slot that hold the hour's swaps. Index:
-- wallet_transactions_pkey, slot_span_pkey.
with {+uncounted_hours}
select unknown.wallet_id, unknown.hour_ms, slots.low_slot, slots.high_slot
from unknown
join slots on slots.hour_ms = unknown.hour_ms
where slots.low_slot <= $1
order by unknown.hour_ms, unknown.wallet_id
limit $2
