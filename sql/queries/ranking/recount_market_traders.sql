-- Adds who traded since an hour, from the `swap` table. $1 bigint: Unix ms. Runs of slots that ended before
-- it are passed over. Indexes: slot_span_pkey, swap_order, market_trader_pkey.
insert into market_trader
select distinct is_hour, swap.timestamp_ms / width * width, mixed_wallet(swap.wallet_id)
from swap
cross join (values (false, 60000), (true, 3600000)) as bucket (is_hour, width)
where swap.slot >= (select min(bucket) from slot_span where width = 10000 and last_ms >= $1)
  and swap.timestamp_ms >= $1
on conflict do nothing
