-- Traders of each minute and each hour, as stored and by the swaps: mixed wallets, ascending,
-- the least so many of a bucket. $1 bigint: the first hour, Unix ms; $2 integer: wallets a bucket.
-- Indexes: slot_span_pkey, swap_order, market_trader_pkey.
with heard as (
  select distinct
    is_hour, swap.timestamp_ms / width * width as bucket_ms, mixed_wallet(swap.wallet_id) as wallet
  from swap
  cross join (values (false, 60000), (true, 3600000)) as bucket (is_hour, width)
  where swap.slot >= (select min(bucket) from slot_span where width = 10000 and last_ms >= $1)
    and swap.timestamp_ms >= $1
),
folded as (
  select is_hour, bucket_ms, array_agg(wallet order by wallet) as wallets
  from (
    select heard.*, row_number() over (partition by is_hour, bucket_ms order by wallet) as place
    from heard
  ) as placed
  where place <= $2
  group by is_hour, bucket_ms
),
stored as (
  select is_hour, bucket_ms, array_agg(wallet order by wallet) as wallets
  from (
    select
      market_trader.*,
      row_number() over (partition by is_hour, bucket_ms order by wallet) as place
    from market_trader
    where bucket_ms >= $1
  ) as placed
  where place <= $2
  group by is_hour, bucket_ms
)
select is_hour, bucket_ms, stored.wallets as stored, folded.wallets as folded
from stored
full join folded using (is_hour, bucket_ms)
