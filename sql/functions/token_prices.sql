-- Prices of tokens now.

-- Whether a pool traded from one minute to before another. Called only for pools that are ahead: for all others
-- pool.newest_ms decides. Index: candle_1m_pkey.
create or replace function pool_traded(of_pool integer, from_ms bigint, end_ms bigint) returns boolean
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

-- Price and time of the last priced trade of each token's top pool, among the pools that ever had a priced trade; no
-- row for a token without one. `decimals`: as mint_decimals(), which is called only where a token's pools disagree.
--
-- The top pool is the live one with the largest volume of the day that ends with the window (ties: more trades, then
-- lower address). If none is live, it is the pool whose newest swap, of whatever kind, is the last in canonical order.
-- Most tokens have one pool with a price: the loop returns these without the statement that compares pools, which costs
-- more to start than a look-up. Sums of the day read minutes up to a quarter of an hour, quarters up to four hours,
-- then four hours, each by one walk for all compared pools. Indexes: pool_token, the primary keys of the candles.
--
-- `of_slot`: tokens of which a pool has a later swap are left out, null for none; `window_ms`: a time in the minute with
-- which the window ends, null for that of now.
create or replace function token_prices_as_of(ids integer[], of_slot bigint, window_ms bigint)
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
    from (select id, min(ordinal) as ordinal from unnest(ids) with ordinality as each (id, ordinal) group by id) as wanted
    cross join lateral (
      select
        count(pool.last_price) as pools,
        coalesce(max(pool.last_slot) > of_slot, false) as is_later,
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
    where known.pools > 0 and not known.is_later
    order by wanted.ordinal
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
  end_ms := coalesce(window_ms, newest_swap_ms()) / 60000 * 60000 + 60000;
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
      -- The widest buckets also hold swaps later than the window: these are subtracted.
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
    -- If none is live, the pool with the last swap wins.
    rivals.last_slot desc, rivals.last_block_tx_index desc, rivals.last_ix_index desc, rivals.dex desc,
    rivals.last_is_buy, rivals.last_signature desc, rivals.pair_address desc;
end
$$;

-- Prices of now.
create or replace function token_prices(ids integer[])
  returns table (
    token_id integer, pool_id integer, price double precision, price_ms bigint, decimals smallint
  )
  language plpgsql stable
as $$
begin
  return query select * from token_prices_as_of(ids, null, null);
end
$$;
