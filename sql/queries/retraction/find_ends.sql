-- The first slot and the greatest time of the swaps of pools; null without a swap. $1 integer[]: pool ids. Indexes:
-- swap_pool; candle_1m_pkey, backwards to the newest minute.
select
  wanted.pool_id,
  (
    select slot from swap where swap.pool_id = wanted.pool_id order by slot limit 1
  ) as first_slot,
  (
    select max(swap.timestamp_ms)
    from (
      select bucket_ms, first_slot, last_slot
      from candle_1m
      where candle_1m.pool_id = wanted.pool_id
      order by bucket_ms desc
      limit 1
    ) as newest
    join swap on swap.pool_id = wanted.pool_id
      and swap.slot >= newest.first_slot and swap.slot <= newest.last_slot
      and swap.timestamp_ms >= newest.bucket_ms
  ) as newest_ms
from unnest($1::integer[]) as wanted (pool_id)
