-- Figures of tokens, as before and for less.

-- As before (0021). The bounds of the widest window leave chunks out, once; those of each pool and window, which
-- would be held against every chunk for each of them, twice the work of reading, do not.
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

-- As before (0022). What is asked of so many tokens is planned for them (execute), as before; what it calls is
-- planned as its connection plans, once where tables have few chunks, and not at all where that part is left out.
-- Before, both were planned for the tokens, at every call: half of what a screen of 900 tokens cost.
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
  from_ms bigint := newest_swap_ms() / 60000 * 60000 - (width - 1) * 60000::bigint;
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
  $screen$ using ids, width, from_ms, parts;
end
$$;
