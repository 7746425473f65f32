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
