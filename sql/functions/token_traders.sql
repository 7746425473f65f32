-- Trades and distinct traders of windows of whole minutes that end with the newest swap's. Traders are mixed wallets,
-- of which a bucket stores the least 1,024 (migrations/0006_ranking.sql).

-- A wallet as a point on a circle of 2^32: a bijection, as good as random. Computed without a query, which would be
-- planned and started again by every call.
create or replace function mixed_wallet(id integer) returns integer
  language plpgsql immutable parallel safe
as $$
declare
  mixed bigint := id::bigint & 4294967295;
begin
  mixed := ((mixed # (mixed >> 16)) * 73244475) & 4294967295;
  mixed := ((mixed # (mixed >> 16)) * 73244475) & 4294967295;
  mixed := mixed # (mixed >> 16);
  return (mixed # 2147483648) - 2147483648;
end
$$;

-- Number of traders where `found` were found below a bound; exact without one.
create or replace function estimated_traders(found bigint, below integer) returns bigint
  language sql immutable parallel safe
begin atomic
  select case
    when below is null then found
    else round(found * (4294967296::double precision / (below::bigint + 2147483648)))::bigint
  end;
end;

-- $1 token ids, $2 widths in minutes, a day at most. One row for each token and width with a trade. Whole hours of a
-- window are read by the hour, its edges by the minute. All windows end at the same time, so a wider one holds the
-- traders of a narrower one: each trader is counted once, by the narrowest window in which it traded. `cell`: a minute
-- or an hour of a token, `widths`: of the windows that contain it. Indexes: the primary keys.
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
  -- A trader belongs to every window as wide as the narrowest in which it traded: each is counted once, by that one.
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
      -- Where a set was cut, the traders below the bound of each window are counted.
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

-- Wallets that traded in the $1 minutes that end with the newest swap's, up to a day: exact while no bucket has more
-- than 1,024, else with a standard error of 3.1 %. Whole hours are read by the hour; the hour that holds the end of the
-- window is read by the minute where swaps are later than it. Index: market_trader_pkey.
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
    select bucket.is_hour, bucket.bucket_ms, retained.wallet
    from bucket
    cross join lateral (
      select trader.wallet
      from market_trader as trader
      where trader.is_hour = bucket.is_hour and trader.bucket_ms = bucket.bucket_ms
      order by trader.wallet
      limit 1025
    ) as retained
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
