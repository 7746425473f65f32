-- What reads ask again and again is planned once a connection: functions of one statement in plpgsql, whose
-- plans are kept (one in SQL is planned anew by every statement that calls it), and all windows at once.

-- As before (0005). Index: slot_span_pkey, a row a lane.
create or replace function newest_swap_ms() returns bigint language plpgsql stable
as $$
begin
  return (select max(last_ms) from slot_span where width = 1000000000);
end
$$;

-- As before (0005). Index: dollar_minute_pkey.
create or replace function sol_usd() returns double precision language plpgsql stable
as $$
begin
  return coalesce(
    (
      select (
        sum(volume_units / 10::numeric ^ decimals) / (sum(volume_lamports) / 1000000000)
      )::double precision
      from dollar_minute
      where bucket_ms >= (
        select min(bucket_ms)
        from (
          select distinct bucket_ms from dollar_minute order by bucket_ms desc limit 5
        ) as newest
      )
    ),
    nullif(current_setting('swaptide.sol_usd_fallback', true), '')::double precision
  );
end
$$;

-- What tokens did in windows of whole minutes that end with the newest swap's (semantics, section 5).
-- $1 token ids, $2 widths in minutes. One row for each token and width with a trade: SOL and trades of all its
-- pools; open, high, low and close of the pool with the largest volume among those with a priced trade in the
-- window (ties: more trades, then lower address), null where none has one.
--
-- Minutes up to a quarter, quarters up to four hours, then fours. What lies outside of the widest window is
-- told by parameters, too, so that its chunks are passed over. Indexes: pool_token, the primary keys of the
-- candles.
create function token_windows(ids integer[], widths integer[])
  returns table (
    token_id integer, window_minutes integer, volume_lamports numeric, trade_count bigint,
    open double precision, high double precision, low double precision, close double precision
  )
  language plpgsql stable
as $$
#variable_conflict use_column
declare
  newest_minute_ms bigint := newest_swap_ms() / 60000 * 60000;
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
        and bucket_ms >= edge.from_ms and bucket_ms < edge.quarter_ms
      union all
      select bucket_ms, open, high, low, close, volume_lamports, trade_count
      from candle_15m
      where candle_15m.pool_id = pool.id and bucket_ms >= first_ms
        and bucket_ms >= edge.quarter_ms and bucket_ms < edge.four_ms
      union all
      select bucket_ms, open, high, low, close, volume_lamports, trade_count
      from candle_4h
      where candle_4h.pool_id = pool.id and bucket_ms >= first_ms and bucket_ms >= edge.four_ms
    ) as part
  ) as traded
  where pool.newest_ms >= first_ms and traded.trade_count > 0
  window of_token as (partition by pool.token_id, edge.width)
  order by
    pool.token_id, edge.width, traded.open is null, traded.volume_lamports desc,
    traded.trade_count desc, pool.pair_address;
end
$$;

-- As before (0011): trades and distinct traders of tokens in windows of whole minutes that end with the newest
-- swap's. Whole hours of a window are read as hours, its edges by the minute; now in one statement for all
-- windows, each row of which is read once. `place`: a token and one of its windows, of which a day is the widest.
-- Indexes: the primary keys.
create or replace function token_traders(ids integer[], windows integer[])
  returns table (
    token_id integer, window_minutes integer, buy_count bigint, sell_count bigint,
    buyer_count bigint, seller_count bigint
  )
  language plpgsql stable
as $$
#variable_conflict use_column
declare
  end_ms bigint := newest_swap_ms() / 60000 * 60000 + 60000;
  hour_ms bigint := end_ms / 3600000 * 3600000;
  first_ms bigint := end_ms - (select max(width) from unnest(windows) as width) * 60000::bigint;
  -- The minutes of the hours that windows cut at their beginnings.
  heads bigint[] := array(
    select generate_series(from_ms, least((from_ms + 3599999) / 3600000 * 3600000, hour_ms) - 60000, 60000)
    from unnest(windows) as width
    cross join lateral (select end_ms - width * 60000::bigint as from_ms) as began
  );
begin
  return query
  with edge as materialized (
    select width, from_ms, (from_ms + 3599999) / 3600000 * 3600000 as hour_from_ms
    from unnest(windows) as width
    cross join lateral (select end_ms - width * 60000::bigint as from_ms) as began
  ),
  part as materialized (
    select trader_minute.token_id * 65536::bigint + edge.width as place, trader_minute.*
    from trader_minute
    join edge on bucket_ms >= from_ms and bucket_ms < hour_from_ms
    where token_id = any (ids) and bucket_ms = any (heads) and bucket_ms >= first_ms
      and bucket_ms < hour_ms
    union all
    select trader_hour.token_id * 65536::bigint + edge.width, trader_hour.*
    from trader_hour
    join edge on bucket_ms >= hour_from_ms
    where token_id = any (ids) and bucket_ms >= first_ms and bucket_ms < hour_ms
    union all
    select trader_minute.token_id * 65536::bigint + edge.width, trader_minute.*
    from trader_minute
    join edge on bucket_ms >= from_ms
    where token_id = any (ids) and bucket_ms >= hour_ms and bucket_ms < end_ms
  ),
  bound as (
    select place, sum(buy_count) as buy_count, sum(sell_count) as sell_count,
      min(buyers_below) as buyers_below, min(sellers_below) as sellers_below
    from part
    group by place
  ),
  buying as (
    select part.place, count(distinct wallet) as found
    from part
    join bound on bound.place = part.place
    cross join unnest(part.buyers) as wallet
    where bound.buyers_below is null or wallet < bound.buyers_below
    group by part.place
  ),
  selling as (
    select part.place, count(distinct wallet) as found
    from part
    join bound on bound.place = part.place
    cross join unnest(part.sellers) as wallet
    where bound.sellers_below is null or wallet < bound.sellers_below
    group by part.place
  )
  select (bound.place / 65536)::integer, (bound.place % 65536)::integer,
    bound.buy_count::bigint, bound.sell_count::bigint,
    estimated_traders(coalesce(buying.found, 0), bound.buyers_below),
    estimated_traders(coalesce(selling.found, 0), bound.sellers_below)
  from bound
  left join buying on buying.place = bound.place
  left join selling on selling.place = bound.place;
end
$$;

-- As before (0016), its plans as those of the connection.
alter function token_prices(integer[]) reset plan_cache_mode;

-- As before (0012), by the windows above.
create or replace function screened_tokens(ids integer[], width integer)
  returns table (
    token_id integer, mint text, price_sol double precision, volume_sol double precision,
    liquidity_sol double precision, change_pct double precision, trades bigint, buys bigint,
    sells bigint, buyers bigint, sellers bigint, holders bigint, first_ms bigint, venues integer
  )
  language plpgsql stable
  set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  from_ms bigint := newest_swap_ms() / 60000 * 60000 - (width - 1) * 60000::bigint;
begin
  return query
  with held as (
    select position.token_id, count(*) filter (where position.balance > 0) as holders
    from position
    where position.token_id = any (ids)
    group by position.token_id
  ), traded_on as (
    select pool.token_id, bit_or(1 << pool.dex::integer) as venues
    from pool
    where pool.token_id = any (ids) and pool.newest_ms >= from_ms
    group by pool.token_id
  )
  select
    token.id, token.address, priced.price,
    -- Exact, then a double once: a quotient would be cut.
    coalesce((traded.volume_lamports * 0.000000001)::double precision, 0),
    -- 17.58 SOL that a pool which migrated since 2026-07-15 does not report (domain/venue.ts).
    case
      when pool.dex = 10 then 0
      else (
        0.000000002 * (
          pool.last_sol_reserves::numeric
          + case
              when pool.dex = 2 and pool.migrated_at_ms >= 1784073600000 then 17580000000
              else 0
            end
        )
      )::double precision
    end,
    (traded.close - traded.open) / traded.open * 100,
    coalesce(traded.trade_count, 0), coalesce(traders.buy_count, 0),
    coalesce(traders.sell_count, 0), coalesce(traders.buyer_count, 0),
    coalesce(traders.seller_count, 0), coalesce(held.holders, 0), start.first_ms,
    coalesce(traded_on.venues, 0)
  from token
  left join token_windows(ids, array[width]) as traded on traded.token_id = token.id
  left join token_traders(ids, array[width]) as traders on traders.token_id = token.id
  left join token_prices(ids) as priced on priced.token_id = token.id
  left join pool on pool.id = priced.pool_id
  left join token_start as start on start.token_id = token.id
  left join held on held.token_id = token.id
  left join traded_on on traded_on.token_id = token.id
  where token.id = any (ids);
end
$$;

drop function token_windows(integer[], integer);
