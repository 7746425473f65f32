-- Volume and prices of tokens in windows of whole minutes that end with the newest swap's.

-- $1 token ids, $2 widths in minutes. One row for each token and width with a trade: SOL and trades of all its pools;
-- open, high, low and close of the pool with the largest volume among those with a priced trade in the window (ties:
-- more trades, then lower address), null where none has one.
--
-- Reads minutes up to a quarter of an hour, quarters up to four hours, then four hours; of a pool that is ahead all of
-- the window by the minute, because a wider bucket may hold what the window does not. The bounds of the widest window
-- exclude chunks when the plan is made; excluding them at run time, for each pool and window, doubled the work.
-- Indexes: pool_token, the primary keys of the candles.
create or replace function token_windows(ids integer[], widths integer[])
  returns table (
    token_id integer, window_minutes integer, volume_lamports numeric, trade_count bigint,
    open double precision, high double precision, low double precision, close double precision
  )
  language plpgsql stable
  set timescaledb.enable_runtime_exclusion = off
as $$
#variable_conflict use_column
declare
  newest_minute_ms bigint := newest_swap_ms() / 60000 * 60000;
  end_ms bigint := newest_minute_ms + 60000;
  never_ms bigint := 9223372036854775807;
  first_ms bigint := newest_minute_ms - ((select max(width) from unnest(widths) as width) - 1) * 60000::bigint;
begin
  return query
  with edge as materialized (
    select
      width, from_ms, (from_ms + 899999) / 900000 * 900000 as quarter_ms,
      (from_ms + 14399999) / 14400000 * 14400000 as four_ms
    from unnest(widths) as width
    cross join lateral (select newest_minute_ms - (width - 1) * 60000::bigint as from_ms) as began
  )
  select distinct on (pool.token_id, edge.width)
    pool.token_id,
    edge.width,
    sum(traded.volume_lamports) over of_token,
    (sum(traded.trade_count) over of_token)::bigint,
    traded.open, traded.high, traded.low, traded.close
  from unnest(ids) as wanted (id)
  join pool on pool.token_id = wanted.id
  join edge on pool.newest_ms >= edge.from_ms
  cross join lateral (
    select
      case when pool.newest_ms < end_ms then edge.quarter_ms else end_ms end as minutes_end_ms,
      case when pool.newest_ms < end_ms then edge.quarter_ms else never_ms end as quarters_from_ms,
      case when pool.newest_ms < end_ms then edge.four_ms else never_ms end as fours_from_ms
  ) as reach
  cross join lateral (
    select
      sum(part.volume_lamports) as volume_lamports,
      sum(part.trade_count) as trade_count,
      first(part.open, part.bucket_ms) filter (where part.open is not null) as open,
      max(part.high) as high,
      min(part.low) as low,
      last(part.close, part.bucket_ms) filter (where part.close is not null) as close
    from (
      select bucket_ms, open, high, low, close, volume_lamports, trade_count
      from candle_1m
      where candle_1m.pool_id = pool.id and bucket_ms >= first_ms
        and bucket_ms >= edge.from_ms and bucket_ms < reach.minutes_end_ms
      union all
      select bucket_ms, open, high, low, close, volume_lamports, trade_count
      from candle_15m
      where candle_15m.pool_id = pool.id and bucket_ms >= first_ms
        and bucket_ms >= reach.quarters_from_ms and bucket_ms < edge.four_ms
      union all
      select bucket_ms, open, high, low, close, volume_lamports, trade_count
      from candle_4h
      where candle_4h.pool_id = pool.id and bucket_ms >= first_ms and bucket_ms >= reach.fours_from_ms
    ) as part
  ) as traded
  where pool.newest_ms >= first_ms and traded.trade_count > 0
  window of_token as (partition by pool.token_id, edge.width)
  order by
    pool.token_id, edge.width, traded.open is null, traded.volume_lamports desc,
    traded.trade_count desc, pool.pair_address;
end
$$;
