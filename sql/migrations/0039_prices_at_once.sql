-- As before (0029). Candles of all pools that are compared are read by one walk of each width, instead of by walks for each
-- pool, to begin which costs more than to look one up. Indexes: pool_token, the primary keys of candles.
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
  from_ms bigint;
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
  from_ms := newest_swap_ms() / 60000 * 60000 - 1439 * 60000;
  quarter_ms := (from_ms + 899999) / 900000 * 900000;
  four_ms := (from_ms + 14399999) / 14400000 * 14400000;
  return query
  with rivals as materialized (
    select
      pool.token_id, pool.id, pool.last_price, pool.last_price_ms, pool.pair_address, pool.last_slot,
      pool.last_block_tx_index, pool.last_ix_index, pool.dex, pool.last_is_buy, pool.last_signature,
      pool.newest_ms >= from_ms as is_live, wanted.decimals,
      count(*) filter (where pool.newest_ms >= from_ms) over (partition by pool.token_id) as live
    from unnest(shared, shared_decimals) as wanted (id, decimals)
    join pool on pool.token_id = wanted.id
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
