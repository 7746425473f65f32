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
