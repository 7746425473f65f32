-- Adds who traded since an hour, from the `swap` table. $1 bigint: Unix ms. Runs of slots that ended before
-- it are passed over. Each trader is mixed once: that takes longer than finding one. Indexes: slot_span_pkey, swap_order,
-- market_trader_pkey.
insert into market_trader
with minutes as materialized (
  select distinct timestamp_ms / 60000 * 60000 as bucket_ms, wallet_id
  from swap
  where slot >= (select min(bucket) from slot_span where width = 10000 and last_ms >= $1)
    and timestamp_ms >= $1
),
hours as materialized (
  select distinct bucket_ms / 3600000 * 3600000 as bucket_ms, wallet_id
  from minutes
),
traders as materialized (
  select wallet_id, mixed_wallet(wallet_id) as mixed
  from (select distinct wallet_id from hours) as known
)
select is_hour, bucket_ms, mixed
from (
  select false as is_hour, * from minutes
  union all
  select true, * from hours
) as bucket
join traders using (wallet_id)
on conflict do nothing
