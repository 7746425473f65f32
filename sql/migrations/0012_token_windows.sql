-- What tokens did in a window of whole minutes that ends with the newest swap's (semantics, section 5).
-- $1 token ids, $2 width in minutes. One row for each token with a trade: SOL and trades of all its pools;
-- open, high, low and close of the pool with the largest volume among those with a priced trade in the
-- window (ties: more trades, then lower address), null where none has one.
--
-- Minutes up to a quarter, quarters up to four hours, then fours. Indexes: pool_token, the primary keys of
-- the candles.
create function token_windows(ids integer[], width integer)
  returns table (
    token_id integer, volume_lamports numeric, trade_count bigint, open double precision,
    high double precision, low double precision, close double precision
  )
  language plpgsql stable
  set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  from_ms bigint := newest_swap_ms() / 60000 * 60000 - (width - 1) * 60000::bigint;
  quarter_ms bigint := (from_ms + 899999) / 900000 * 900000;
  four_ms bigint := (from_ms + 14399999) / 14400000 * 14400000;
begin
  return query
  select distinct on (pool.token_id)
    pool.token_id,
    sum(traded.volume_lamports) over of_token,
    (sum(traded.trade_count) over of_token)::bigint,
    traded.open, traded.high, traded.low, traded.close
  from unnest(ids) as wanted (id)
  join pool on pool.token_id = wanted.id
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
      where candle_1m.pool_id = pool.id and bucket_ms >= from_ms and bucket_ms < quarter_ms
      union all
      select bucket_ms, open, high, low, close, volume_lamports, trade_count
      from candle_15m
      where candle_15m.pool_id = pool.id and bucket_ms >= quarter_ms and bucket_ms < four_ms
      union all
      select bucket_ms, open, high, low, close, volume_lamports, trade_count
      from candle_4h
      where candle_4h.pool_id = pool.id and bucket_ms >= four_ms
    ) as part
  ) as traded
  where pool.newest_ms >= from_ms and traded.trade_count > 0
  window of_token as (partition by pool.token_id)
  order by
    pool.token_id, traded.open is null, traded.volume_lamports desc, traded.trade_count desc,
    pool.pair_address;
end
$$;
