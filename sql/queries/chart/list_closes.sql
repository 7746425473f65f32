-- Closes of tokens' top pools: a row for each day on which a pool of the token traded that ever had a price,
-- and one for the time before the range, where its first day has no price of the pool.
-- $1 integer[]: token ids, $2 bigint[], $3 bigint[]: first day of each and the day after its last, Unix ms
-- (pairwise).
-- Result: token_id, day_ms, close (at the end of that day: of the pool with the largest volume of the day;
-- more trades, lower address), carried_close (on days of the range after it without a trade: of the pool that
-- traded last, by the minute, and within it in canonical order), SOL per whole token; by token and day.
-- Index: pool_token, the primary keys of candle_4h and candle_1m, swap_pool. Candles are looked up for all pools of a
-- range at once, one range after the other (offset 0; a token is requested once), and of a day on which one pool
-- traded, as on most, no volumes are compared; swaps are read where pools traded last in one minute and one slot.
with wanted as materialized (
  select asked.*, pool.id as pool_id, pool.pair_address
  from unnest($1::integer[], $2::bigint[], $3::bigint[]) as asked (token_id, from_ms, until_ms)
  join pool on pool.token_id = asked.token_id
),
traded as materialized (
  select
    candle.pool_id,
    candle.bucket_ms / 86400000 * 86400000 as day_ms,
    sum(candle.volume_lamports) as volume_lamports,
    sum(candle.trade_count) as trade_count,
    max(candle.bucket_ms) as last_bucket_ms,
    last(candle.close, candle.bucket_ms) filter (where candle.close is not null) as close
  from (select from_ms, until_ms, array_agg(pool_id) as pool_ids from wanted group by from_ms, until_ms) as span
  cross join lateral (
    select pool_id, bucket_ms, volume_lamports, trade_count, close
    from candle_4h
    where candle_4h.pool_id = any (span.pool_ids)
      and bucket_ms >= span.from_ms
      and bucket_ms < span.until_ms
    offset 0
  ) as candle
  group by candle.pool_id, candle.bucket_ms / 86400000
),
pool_day as (
  select * from traded
  union all
  select
    wanted.pool_id, before.bucket_ms / 86400000 * 86400000, 0, 0, before.bucket_ms, priced.close
  from wanted
  cross join lateral (
    select bucket_ms
    from candle_4h
    where candle_4h.pool_id = wanted.pool_id and bucket_ms < wanted.from_ms
    order by bucket_ms desc
    limit 1
  ) as before
  left join lateral (
    select close
    from candle_4h
    where candle_4h.pool_id = wanted.pool_id and bucket_ms < wanted.from_ms and close is not null
    order by bucket_ms desc
    limit 1
  ) as priced on true
  where (wanted.pool_id, wanted.from_ms) not in (select pool_id, day_ms from traded where close is not null)
),
placed as materialized (
  select
    *,
    first_value(day_ms) over (
      partition by token_id order by day_ms
      range between 86400000 following and unbounded following
    ) as next_day_ms,
    count(*) over (partition by token_id, day_ms) as pool_count
  from (
    select
      pool_day.*,
      wanted.token_id,
      wanted.until_ms,
      wanted.pair_address,
      last(close, day_ms) filter (where close is not null)
        over (partition by pool_day.pool_id order by day_ms) as known_close
    from pool_day
    join wanted on wanted.pool_id = pool_day.pool_id
  ) as known
  where known_close is not null
)
select token_id, day_ms, known_close as close, known_close as carried_close
from placed
where pool_count = 1
union all
select
  token_id,
  day_ms,
  (array_agg(known_close order by volume_lamports desc, trade_count desc, pair_address))[1],
  (array_agg(
    known_close order by minute_ms desc nulls last, minute_slot desc, place desc, pair_address desc
  ))[1]
from (
  select
    *,
    case
      when minute_ms is not null and tied_count > 1 then last_place(pool_id, minute_slot, minute_ms)
    end as place
  from (
    select
      placed.*,
      minute.bucket_ms as minute_ms,
      minute.last_slot as minute_slot,
      count(*) over (
        partition by placed.token_id, placed.day_ms, minute.bucket_ms, minute.last_slot
      ) as tied_count
    from placed
    left join lateral (
      select bucket_ms, last_slot
      from candle_1m
      where candle_1m.pool_id = placed.pool_id
        and bucket_ms between last_bucket_ms and last_bucket_ms + 14399999
        -- Here, not beside the join: so that no minute is looked up where the next day has a trade.
        and until_ms > day_ms + 86400000
        and next_day_ms is distinct from day_ms + 86400000
      order by bucket_ms desc
      limit 1
    ) as minute on true
    where pool_count > 1
  ) as dated
) as exact
group by token_id, day_ms
order by token_id, day_ms
