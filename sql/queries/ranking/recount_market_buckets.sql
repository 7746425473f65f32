-- Adds the traders of buckets of the market, from the `swap` table. Pairwise: $1 boolean[] is_hour, $2 bigint[] bucket_ms.
-- Runs of slots before and after a bucket are skipped. Indexes: slot_span_pkey, swap_order, market_trader_pkey.
insert into market_trader
select distinct wanted.is_hour, wanted.bucket_ms, mixed_wallet(swap.wallet_id)
from (
  select told.*, case when told.is_hour then 3600000 else 60000 end as width_ms
  from unnest($1::boolean[], $2::bigint[]) as told (is_hour, bucket_ms)
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
