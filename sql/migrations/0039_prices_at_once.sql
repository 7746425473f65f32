-- As before (0029). A token of which one pool alone trades now costs what that one says, without any candle; candles of
-- all pools that are compared are read by one walk of each width, instead of one for each pool, to begin which costs
-- more than to look one up. Indexes: pool_token, pool_pkey, the primary keys of candles.
create or replace function token_prices(ids integer[])
  returns table (
    token_id integer, pool_id integer, price double precision, price_ms bigint, decimals smallint
  )
  language plpgsql stable
as $$
#variable_conflict use_column
declare
  from_ms bigint := newest_swap_ms() / 60000 * 60000 - 1439 * 60000;
  quarter_ms bigint := (from_ms + 899999) / 900000 * 900000;
  four_ms bigint := (from_ms + 14399999) / 14400000 * 14400000;
  rivals integer[];
  rival_decimals smallint[];
  silent integer[];
  silent_decimals smallint[];
  one record;
begin
  for one in
    select wanted.id, known.*
    from (select id, min(place) as place from unnest(ids) with ordinality as each (id, place) group by id) as wanted
    cross join lateral (
      select
        count(*) filter (where priced) as pools,
        array_agg(pool.id) filter (where priced and is_live) as live,
        min(pool.id) filter (where priced) as pool_id,
        min(pool.last_price) as price,
        min(pool.last_price_ms) as price_ms,
        min(pool.id) filter (where priced and is_live) as live_id,
        min(pool.last_price) filter (where is_live) as live_price,
        min(pool.last_price_ms) filter (where priced and is_live) as live_price_ms,
        case
          when min(pool.last_quote_decimals) < max(pool.last_quote_decimals)
            then (select newest.decimals from mint_decimals(wanted.id) as newest)
          else min(pool.last_quote_decimals)
        end as decimals
      from pool
      cross join lateral (select pool.last_price is not null as priced, pool.newest_ms >= from_ms as is_live) as state
      where pool.token_id = wanted.id
    ) as known
    where known.pools > 0
    order by wanted.place
  loop
    if one.pools = 1 then
      token_id := one.id; pool_id := one.pool_id; price := one.price; price_ms := one.price_ms;
      decimals := one.decimals;
      return next;
    elsif one.live is null then
      -- By their last swaps.
      silent := silent || one.id;
      silent_decimals := silent_decimals || one.decimals;
    elsif cardinality(one.live) = 1 then
      token_id := one.id; pool_id := one.live_id; price := one.live_price; price_ms := one.live_price_ms;
      decimals := one.decimals;
      return next;
    else
      rivals := rivals || one.live;
      rival_decimals := rival_decimals || array_fill(one.decimals, array[cardinality(one.live)]);
    end if;
  end loop;
  if rivals is not null then
    return query
    with day as (
      select part.pool_id, sum(part.volume_lamports) as volume_lamports, sum(part.trade_count) as trade_count
      from (
        select pool_id, volume_lamports, trade_count
        from candle_1m
        where pool_id = any (rivals) and bucket_ms >= from_ms and bucket_ms < quarter_ms
        union all
        select pool_id, volume_lamports, trade_count
        from candle_15m
        where pool_id = any (rivals) and bucket_ms >= quarter_ms and bucket_ms < four_ms
        union all
        select pool_id, volume_lamports, trade_count
        from candle_4h
        where pool_id = any (rivals) and bucket_ms >= four_ms
      ) as part
      group by part.pool_id
    )
    select distinct on (pool.token_id)
      pool.token_id, pool.id, pool.last_price, pool.last_price_ms, rival.decimals
    from unnest(rivals, rival_decimals) as rival (id, decimals)
    join pool on pool.id = rival.id
    left join day on day.pool_id = rival.id
    order by
      pool.token_id, day.volume_lamports desc nulls last, day.trade_count desc nulls last, pool.pair_address;
  end if;
  if silent is not null then
    return query
    select distinct on (pool.token_id)
      pool.token_id, pool.id, pool.last_price, pool.last_price_ms, wanted.decimals
    from unnest(silent, silent_decimals) as wanted (id, decimals)
    join pool on pool.token_id = wanted.id
    where pool.last_price is not null
    order by
      pool.token_id, pool.last_slot desc, pool.last_block_tx_index desc, pool.last_ix_index desc, pool.dex desc,
      pool.last_is_buy, pool.last_signature desc, pool.pair_address desc;
  end if;
end
$$;
