-- What the pools of a mint traded by quarters of an hour, from which since when one is the top pool follows. Only pools
-- with a price, the 32 with the most trades and the one that is asked about. $1 text: mint, $2 integer: pool id,
-- $3 integer: quarters, the newest indexed swap's the last. Result: pair_address, quarters integer[] (0: the first),
-- volumes double precision[] (lamports), trades integer[], these null where it did not trade; older_quarter integer,
-- the newest before them, or null; first_ms bigint. Indexes: pool_token, candle_15m_pkey.
select
  rival.pair_address, own.quarters, own.volumes, own.trades,
  (
    select ((candle_15m.bucket_ms - edge.first_ms) / 900000)::integer
    from candle_15m
    where candle_15m.pool_id = rival.id and candle_15m.bucket_ms < edge.first_ms
    order by candle_15m.bucket_ms desc
    limit 1
  ) as older_quarter,
  edge.first_ms
from (
  select newest_swap_ms() / 900000 * 900000 - ($3::bigint - 1) * 900000 as first_ms
) as edge
cross join (
  select pool.id, pool.pair_address
  from pool
  where pool.token_id = (select token.id from token where token.address = $1)
    and pool.last_price is not null
  order by pool.id = $2 desc, pool.swap_count desc, pool.id
  limit 32
) as rival
cross join lateral (
  select
    array_agg(((bucket_ms - edge.first_ms) / 900000)::integer order by bucket_ms) as quarters,
    array_agg(volume_lamports::double precision order by bucket_ms) as volumes,
    array_agg(trade_count::integer order by bucket_ms) as trades
  from candle_15m
  where pool_id = rival.id
    and bucket_ms >= edge.first_ms
    and bucket_ms < edge.first_ms + $3::bigint * 900000
) as own
