-- Windows end no later than the wall clock. Swaps whose producer's clock is fast are stored at their times, in buckets
-- that no window counts before the wall clock has reached them; a pool that has such swaps is "ahead".

-- The greatest time of an indexed swap, which may lie ahead of the wall clock, Unix ms; null before the first.
-- Index: slot_span_pkey, a row a lane.
create function latest_swap_ms() returns bigint language plpgsql stable
as $$
begin
  return (select max(last_ms) from slot_span where width = 1000000000);
end
$$;

-- Where trailing windows end: the newest indexed swap's time, or the time at which the transaction began, whichever is
-- earlier; null before the first swap. Index: that of latest_swap_ms().
create or replace function newest_swap_ms() returns bigint language plpgsql stable
as $$
declare
  latest_ms bigint := latest_swap_ms();
begin
  if latest_ms is null then
    return null;
  end if;
  return least(latest_ms, floor(extract(epoch from now()) * 1000)::bigint);
end
$$;

-- Whether a pool traded from a minute to before another. Asked only of pools that are ahead: of all others
-- pool.newest_ms says it. Index: candle_1m_pkey.
create function pool_traded(of_pool integer, from_ms bigint, end_ms bigint) returns boolean
  language plpgsql stable
as $$
begin
  return exists (
    select
    from candle_1m
    where candle_1m.pool_id = of_pool and bucket_ms >= from_ms and bucket_ms < end_ms
  );
end
$$;

-- As before (0012). The hour that holds the end of the window is read by the minute where swaps lie ahead of it.
-- Index: market_trader_pkey.
create or replace function market_traders(minutes integer) returns bigint language sql stable
begin atomic
  with edge as (
    select
      end_ms - $1 * 60000::bigint as from_ms,
      end_ms,
      case when latest_swap_ms() < end_ms then end_ms else end_ms / 3600000 * 3600000 end as hours_end_ms
    from (select newest_swap_ms() / 60000 * 60000 + 60000 as end_ms) as newest
  ),
  split as (
    select edge.*, least((from_ms + 3599999) / 3600000 * 3600000, end_ms) as hour_ms
    from edge
  ),
  bucket as (
    select false as is_hour, generate_series(from_ms, hour_ms - 60000, 60000) as bucket_ms from split
    union all
    select true, generate_series(hour_ms, hours_end_ms - 1, 3600000) from split
    union all
    select false, generate_series(greatest(hour_ms, hours_end_ms), end_ms - 60000, 60000) from split
  ),
  found as materialized (
    select bucket.is_hour, bucket.bucket_ms, kept.wallet
    from bucket
    cross join lateral (
      select trader.wallet
      from market_trader as trader
      where trader.is_hour = bucket.is_hour and trader.bucket_ms = bucket.bucket_ms
      order by trader.wallet
      limit 1025
    ) as kept
  ),
  bound as (
    select min(last_wallet) as below
    from (
      select max(found.wallet) as last_wallet
      from found
      group by found.is_hour, found.bucket_ms
      having count(*) > 1024
    ) as full_bucket
  )
  select estimated_traders(count(distinct found.wallet), (select below from bound))
  from found
  where (select below from bound) is null or found.wallet < (select below from bound);
end;

-- As before (0025). Of a pool that is ahead all of the window is read by the minute: a quarter of an hour or four hours
-- may hold what the window does not. Indexes: pool_token, the primary keys of the candles.
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

-- As before (0025), but that venues ahead of the window are none of its venues. Indexes: those of token_windows(),
-- token_traders(), token_prices() and pool_traded().
create or replace function screened_tokens(
  ids integer[], width integer,
  parts text[] default array['windows', 'traders', 'prices', 'holders', 'venues']
)
  returns table (
    token_id integer, mint text, price_sol double precision, volume_sol double precision,
    liquidity_sol double precision, change_pct double precision, trades bigint, buys bigint,
    sells bigint, buyers bigint, sellers bigint, holders bigint, first_ms bigint, venues integer
  )
  language plpgsql stable
as $$
declare
  end_ms bigint := newest_swap_ms() / 60000 * 60000 + 60000;
  from_ms bigint := end_ms - width * 60000::bigint;
begin
  return query execute $screen$
    with held as (
      select position.token_id, count(*) filter (where position.balance > 0) as holders
      from position
      where 'holders' = any ($4) and position.token_id = any ($1)
      group by position.token_id
    ), traded_on as (
      select pool.token_id, bit_or(1 << pool.dex::integer) as venues
      from pool
      where 'venues' = any ($4) and pool.token_id = any ($1) and pool.newest_ms >= $3
        and (pool.newest_ms < $5 or pool_traded(pool.id, $3, $5))
      group by pool.token_id
    ), traded as (
      select * from token_windows($1, array[$2]) where 'windows' = any ($4)
    ), traders as (
      select * from token_traders($1, array[$2]) where 'traders' = any ($4)
    ), priced as (
      select * from token_prices($1) where 'prices' = any ($4)
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
    left join traded on traded.token_id = token.id
    left join traders on traders.token_id = token.id
    left join priced on priced.token_id = token.id
    left join lateral (select * from pool where pool.id = priced.pool_id limit 1) as pool on true
    left join token_start as start on start.token_id = token.id
    left join held on held.token_id = token.id
    left join traded_on on traded_on.token_id = token.id
    where token.id = any ($1)
  $screen$ using ids, width, from_ms, parts, end_ms;
end
$$;

-- As before (0039). The day ends with the window: what pools traded ahead of it is taken off. Indexes: pool_token, the
-- primary keys of the candles.
create or replace function token_prices(ids integer[])
  returns table (
    token_id integer, pool_id integer, price double precision, price_ms bigint, decimals smallint
  )
  language plpgsql stable
as $$
#variable_conflict use_column
declare
  shared integer[];
  shared_decimals smallint[];
  end_ms bigint;
  from_ms bigint;
  is_ahead boolean;
  quarter_ms bigint;
  four_ms bigint;
  one record;
begin
  for one in
    select wanted.id, known.*
    from (select id, min(place) as place from unnest(ids) with ordinality as each (id, place) group by id) as wanted
    cross join lateral (
      select
        count(pool.last_price) as pools,
        min(pool.id) filter (where pool.last_price is not null) as pool_id,
        min(pool.last_price) as price, min(pool.last_price_ms) as price_ms,
        case
          when min(pool.last_quote_decimals) < max(pool.last_quote_decimals)
            then (select newest.decimals from mint_decimals(wanted.id) as newest)
          else min(pool.last_quote_decimals)
        end as decimals
      from pool
      where pool.token_id = wanted.id
    ) as known
    where known.pools > 0
    order by wanted.place
  loop
    if one.pools = 1 then
      token_id := one.id; pool_id := one.pool_id; price := one.price; price_ms := one.price_ms;
      decimals := one.decimals;
      return next;
    else
      shared := shared || one.id;
      shared_decimals := shared_decimals || one.decimals;
    end if;
  end loop;
  if shared is null then
    return;
  end if;
  end_ms := newest_swap_ms() / 60000 * 60000 + 60000;
  from_ms := end_ms - 1440 * 60000;
  is_ahead := latest_swap_ms() >= end_ms;
  quarter_ms := (from_ms + 899999) / 900000 * 900000;
  four_ms := (from_ms + 14399999) / 14400000 * 14400000;
  return query
  with rivals as materialized (
    select
      pool.token_id, pool.id, pool.last_price, pool.last_price_ms, pool.pair_address, pool.last_slot,
      pool.last_block_tx_index, pool.last_ix_index, pool.dex, pool.last_is_buy, pool.last_signature,
      state.is_live, wanted.decimals,
      count(*) filter (where state.is_live) over (partition by pool.token_id) as live
    from unnest(shared, shared_decimals) as wanted (id, decimals)
    join pool on pool.token_id = wanted.id
    cross join lateral (
      select
        pool.newest_ms >= from_ms
          and (pool.newest_ms < end_ms or pool_traded(pool.id, from_ms, end_ms)) as is_live
    ) as state
    where pool.last_price is not null
  ),
  compared as materialized (
    select array_agg(id) as ids from rivals where is_live and live > 1
  ),
  day as (
    select part.pool_id, sum(part.volume_lamports) as volume_lamports, sum(part.trade_count) as trade_count
    from (
      select pool_id, volume_lamports, trade_count
      from candle_1m
      where pool_id = any ((select ids from compared)::integer[])
        and bucket_ms >= from_ms and bucket_ms < quarter_ms
      union all
      select pool_id, volume_lamports, trade_count
      from candle_15m
      where pool_id = any ((select ids from compared)::integer[])
        and bucket_ms >= quarter_ms and bucket_ms < four_ms
      union all
      select pool_id, volume_lamports, trade_count
      from candle_4h
      where pool_id = any ((select ids from compared)::integer[]) and bucket_ms >= four_ms
      union all
      -- What lies ahead of the window, which the widest buckets hold, too.
      select pool_id, -volume_lamports, -trade_count
      from candle_1m
      where is_ahead and pool_id = any ((select ids from compared)::integer[]) and bucket_ms >= end_ms
    ) as part
    group by part.pool_id
  )
  select distinct on (rivals.token_id)
    rivals.token_id, rivals.id, rivals.last_price, rivals.last_price_ms, rivals.decimals
  from rivals
  left join day on day.pool_id = rivals.id
  order by
    rivals.token_id, rivals.is_live desc, day.volume_lamports desc nulls last,
    day.trade_count desc nulls last,
    case when rivals.is_live then rivals.pair_address end,
    -- None is live: by their last swaps.
    rivals.last_slot desc, rivals.last_block_tx_index desc, rivals.last_ix_index desc, rivals.dex desc,
    rivals.last_is_buy, rivals.last_signature desc, rivals.pair_address desc;
end
$$;
