-- Trades of the pools of a mint by quarters of an hour, from which the time follows since when one is the top pool.
-- Only pools with a price, the 12 with the most trades and the requested one. $1 text: mint, $2 integer: pool id,
-- $3 integer: quarters, the newest indexed swap's the last. Result: pair_address, quarters integer[] (0: the first),
-- volumes double precision[] (lamports), trades integer[], these null where it did not trade; older_quarter integer,
-- the newest before them, or null; first_ms bigint. The edge is computed once: written into the join, for each candle.
-- Indexes: pool_token, candle_15m_pkey.
with edge as materialized (
  select newest_swap_ms() / 900000 * 900000 - ($3::bigint - 1) * 900000 as first_ms
),
rival as materialized (
  select pool.id, pool.pair_address
  from pool
  where pool.token_id = (select token.id from token where token.address = $1)
    and pool.last_price is not null
  order by pool.id = $2 desc, pool.swap_count desc, pool.pair_address
  limit 12
)
select
  rival.pair_address, own.quarters, own.volumes, own.trades,
  (
    select ((candle_15m.bucket_ms - (select first_ms from edge)) / 900000)::integer
    from candle_15m
    where candle_15m.pool_id = rival.id and candle_15m.bucket_ms < (select first_ms from edge)
    order by candle_15m.bucket_ms desc
    limit 1
  ) as older_quarter,
  (select first_ms from edge) as first_ms
from rival
cross join lateral (
  select
    array_agg(quarter order by quarter) as quarters,
    array_agg(volume order by quarter) as volumes,
    array_agg(trade_count order by quarter) as trades
  from (
    select
      ((bucket_ms - (select first_ms from edge)) / 900000)::integer as quarter,
      volume_lamports::double precision as volume,
      trade_count::integer as trade_count
    from candle_15m
    where pool_id = rival.id
      and bucket_ms >= (select first_ms from edge)
      and bucket_ms < (select first_ms from edge) + $3::bigint * 900000
  ) as candle
) as own
