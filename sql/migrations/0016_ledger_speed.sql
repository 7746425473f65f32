-- What the ledger writes stays where it stands more often, and what tokens cost is told faster for many.

-- Of an hour's row only sums change: with room on its page no index is touched. For chunks to come.
alter table position_hour set (fillfactor = 75);

-- As before (0005): price and time of the last priced trade of each token's top pool, of the pools that ever
-- had one; the day's sums are taken only where two pools of a token traded in it. Now a token with one pool,
-- as most have, is answered at once, and no plan is made where nothing is asked.
create or replace function token_prices(ids integer[])
  returns table (token_id integer, pool_id integer, price double precision, price_ms bigint)
  language plpgsql stable
  set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  from_ms bigint := newest_swap_ms() / 60000 * 60000 - 1439 * 60000;
  quarter_ms bigint := (from_ms + 899999) / 900000 * 900000;
  four_ms bigint := (from_ms + 14399999) / 14400000 * 14400000;
begin
  if ids is null then
    return;
  end if;
  return query
  with priced as materialized (
    select
      pool.token_id, pool.id, pool.last_price, pool.last_price_ms, pool.last_timestamp_ms,
      pool.newest_ms, pool.pair_address
    from unnest(ids) as wanted (id)
    join pool on pool.token_id = wanted.id
    where pool.last_price is not null
  ),
  shared as materialized (
    select priced.token_id from priced group by priced.token_id having count(*) > 1
  ),
  rivals as materialized (
    select
      priced.*, priced.newest_ms >= from_ms as is_live,
      count(*) filter (where priced.newest_ms >= from_ms) over (partition by priced.token_id) as live
    from priced
    where priced.token_id in (select shared.token_id from shared)
  )
  select priced.token_id, priced.id, priced.last_price, priced.last_price_ms
  from priced
  where priced.token_id not in (select shared.token_id from shared)
  union all
  (
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
      case when not rivals.is_live then rivals.last_timestamp_ms end desc, rivals.pair_address
  );
end
$$;
