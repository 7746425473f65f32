-- Traders of tokens in windows and prices of tokens, as before and for less.

-- As before (0021). All windows end at the same time, so a wider one holds the traders of a narrower one: each is
-- looked for once, not once a window. `cell`: a minute or an hour of a token that windows are made of, `widths`: of
-- those that it is part of. Indexes: the primary keys.
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
  cell as materialized (
    select trader_minute.*, inside.*
    from trader_minute
    cross join lateral (
      select array_agg(width) as widths, min(width) as narrowest
      from edge
      where bucket_ms >= from_ms and bucket_ms < hour_from_ms
    ) as inside
    where token_id = any (ids) and bucket_ms = any (heads) and bucket_ms >= first_ms
      and bucket_ms < hour_ms
    union all
    select trader_hour.*, inside.*
    from trader_hour
    cross join lateral (
      select array_agg(width) as widths, min(width) as narrowest from edge where bucket_ms >= hour_from_ms
    ) as inside
    where token_id = any (ids) and bucket_ms >= first_ms and bucket_ms < hour_ms
    union all
    select trader_minute.*, inside.*
    from trader_minute
    cross join lateral (
      select array_agg(width) as widths, min(width) as narrowest from edge where bucket_ms >= from_ms
    ) as inside
    where token_id = any (ids) and bucket_ms >= hour_ms and bucket_ms < end_ms
  ),
  bound as (
    select token_id, width, sum(buy_count) as buy_count, sum(sell_count) as sell_count,
      min(buyers_below) as buyers_below, min(sellers_below) as sellers_below
    from cell
    cross join unnest(cell.widths) as width
    group by token_id, width
  ),
  -- A trader stands in every window that is as wide as the narrowest it traded in, so each is counted once, by that.
  trader as (
    select token_id, wallet, true as is_buyer, min(narrowest) as narrowest
    from (select token_id, narrowest, unnest(buyers) as wallet from cell) as bought
    group by token_id, wallet
    union all
    select token_id, wallet, false, min(narrowest)
    from (select token_id, narrowest, unnest(sellers) as wallet from cell) as sold
    group by token_id, wallet
  ),
  found as (
    select token_id, width, sum(wallets) filter (where is_buyer) as buyers,
      sum(wallets) filter (where not is_buyer) as sellers
    from (
      select bound.token_id, bound.width, is_buyer, tally.wallets
      from (
        select token_id, narrowest, is_buyer, count(*) as wallets
        from trader
        group by token_id, narrowest, is_buyer
      ) as tally
      join bound on bound.token_id = tally.token_id and bound.width >= tally.narrowest
      where case when is_buyer then buyers_below else sellers_below end is null
      union all
      -- Where a bound says how many were left out, those below the bound of each window count.
      select bound.token_id, bound.width, is_buyer, 1
      from trader
      join (
        select * from bound where buyers_below is not null or sellers_below is not null
      ) as bound on bound.token_id = trader.token_id and bound.width >= trader.narrowest
      where wallet < case when is_buyer then buyers_below else sellers_below end
    ) as part
    group by token_id, width
  )
  select bound.token_id, bound.width, bound.buy_count::bigint, bound.sell_count::bigint,
    estimated_traders(coalesce(found.buyers, 0)::bigint, bound.buyers_below),
    estimated_traders(coalesce(found.sellers, 0)::bigint, bound.sellers_below)
  from bound
  left join found on found.token_id = bound.token_id and found.width = bound.width;
end
$$;

-- As before (0016, 0021). Most tokens have one pool with a price: these are told without the statement that compares
-- pools by their day, to begin which costs more than to look one up. Indexes: as before.
create or replace function token_prices(ids integer[])
  returns table (token_id integer, pool_id integer, price double precision, price_ms bigint)
  language plpgsql stable
as $$
#variable_conflict use_column
declare
  shared integer[];
  from_ms bigint;
  quarter_ms bigint;
  four_ms bigint;
  one record;
begin
  for one in
    select wanted.id, priced.*
    from (select id, min(place) as place from unnest(ids) with ordinality as each (id, place) group by id) as wanted
    cross join lateral (
      select count(*) as pools, min(pool.id) as pool_id, min(pool.last_price) as price, min(pool.last_price_ms) as price_ms
      from pool
      where pool.token_id = wanted.id and pool.last_price is not null
    ) as priced
    where priced.pools > 0
    order by wanted.place
  loop
    if one.pools = 1 then
      token_id := one.id; pool_id := one.pool_id; price := one.price; price_ms := one.price_ms;
      return next;
    else
      shared := shared || one.id;
    end if;
  end loop;
  if shared is null then
    return;
  end if;
  from_ms := newest_swap_ms() / 60000 * 60000 - 1439 * 60000;
  quarter_ms := (from_ms + 899999) / 900000 * 900000;
  four_ms := (from_ms + 14399999) / 14400000 * 14400000;
  return query
  with rivals as materialized (
    select
      pool.token_id, pool.id, pool.last_price, pool.last_price_ms, pool.last_timestamp_ms, pool.pair_address,
      pool.newest_ms >= from_ms as is_live,
      count(*) filter (where pool.newest_ms >= from_ms) over (partition by pool.token_id) as live
    from unnest(shared) as wanted (id)
    join pool on pool.token_id = wanted.id
    where pool.last_price is not null
  )
  select distinct on (rivals.token_id)
    rivals.token_id, rivals.id, rivals.last_price, rivals.last_price_ms
  from rivals
  left join lateral (
    select sum(part.volume_lamports) as volume_lamports, sum(part.trade_count) as trade_count
    from (
      select volume_lamports, trade_count
      from candle_1m
      where candle_1m.pool_id = rivals.id and bucket_ms >= from_ms and bucket_ms < quarter_ms
      union all
      select volume_lamports, trade_count
      from candle_15m
      where candle_15m.pool_id = rivals.id and bucket_ms >= quarter_ms and bucket_ms < four_ms
      union all
      select volume_lamports, trade_count
      from candle_4h
      where candle_4h.pool_id = rivals.id and bucket_ms >= four_ms
    ) as part
    -- Here, not beside the join: so that no candle is looked up where one pool alone is live.
    where rivals.is_live and rivals.live > 1
  ) as day on true
  order by
    rivals.token_id, rivals.is_live desc, day.volume_lamports desc nulls last,
    day.trade_count desc nulls last,
    case when not rivals.is_live then rivals.last_timestamp_ms end desc, rivals.pair_address;
end
$$;
