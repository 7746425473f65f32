-- Closes of tokens' top pools: a row for each day on which a pool of the token traded that ever had a price,
-- and one for what came before the range.
-- $1 integer[]: token ids, $2 bigint[], $3 bigint[]: first day of each and the day after its last, Unix ms
-- (pairwise).
-- Result: token_id, day_ms, close (at the end of that day: of the pool with the largest volume of the day;
-- more trades, lower address), carried_close (on days after it without a trade: of the pool that traded
-- last, to the minute; lower address), SOL per whole token; by token and day.
-- Index: pool_token, the primary keys of candle_4h and candle_1m.
with pool_day as (
  select wanted.token_id, pool.id as pool_id, pool.pair_address, traded.*
  from unnest($1::integer[], $2::bigint[], $3::bigint[]) as wanted (token_id, from_ms, until_ms)
  join pool on pool.token_id = wanted.token_id
  cross join lateral (
    select
      candle.bucket_ms / 86400000 * 86400000 as day_ms,
      sum(candle.volume_lamports) as volume_lamports,
      sum(candle.trade_count) as trade_count,
      max(candle.bucket_ms) as last_bucket_ms,
      (array_agg(candle.close order by candle.bucket_ms desc) filter (where candle.close is not null))[1]
        as close
    from candle_4h candle
    where candle.pool_id = pool.id
      and candle.bucket_ms >= wanted.from_ms
      and candle.bucket_ms < wanted.until_ms
    group by candle.bucket_ms / 86400000
    union all
    select before.bucket_ms / 86400000 * 86400000, 0, 0, before.bucket_ms, priced.close
    from (
      select candle.bucket_ms
      from candle_4h candle
      where candle.pool_id = pool.id and candle.bucket_ms < wanted.from_ms
      order by candle.bucket_ms desc
      limit 1
    ) as before
    left join lateral (
      select candle.close
      from candle_4h candle
      where candle.pool_id = pool.id
        and candle.bucket_ms < wanted.from_ms
        and candle.close is not null
      order by candle.bucket_ms desc
      limit 1
    ) as priced on true
  ) as traded
),
numbered as (
  select *, count(close) over (partition by pool_id order by day_ms) as price_number
  from pool_day
),
priced as (
  select *, max(close) over (partition by pool_id, price_number) as known_close
  from numbered
  where price_number > 0
),
placed as (
  select
    *,
    first_value(day_ms) over (
      partition by token_id order by day_ms
      range between 86400000 following and unbounded following
    ) as next_day_ms,
    count(*) over (partition by token_id, day_ms, last_bucket_ms) as beside_count
  from priced
)
select
  placed.token_id,
  placed.day_ms,
  (array_agg(
    placed.known_close
    order by placed.volume_lamports desc, placed.trade_count desc, placed.pair_address
  ))[1] as close,
  (array_agg(
    placed.known_close
    order by placed.last_bucket_ms desc, exact.minute_ms desc nulls last, placed.pair_address
  ))[1] as carried_close
from placed
left join lateral (
  select max(candle.bucket_ms) as minute_ms
  from candle_1m candle
  -- Here, not beside the join: so that no minute is looked up where it decides nothing.
  where placed.beside_count > 1
    and placed.next_day_ms is distinct from placed.day_ms + 86400000
    and candle.pool_id = placed.pool_id
    and candle.bucket_ms between placed.last_bucket_ms and placed.last_bucket_ms + 14399999
) as exact on true
group by placed.token_id, placed.day_ms
order by placed.token_id, placed.day_ms
