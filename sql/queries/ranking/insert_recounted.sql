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
