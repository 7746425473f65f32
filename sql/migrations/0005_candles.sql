-- Candles of pools by the minute, the quarter of an hour and four hours (the widths between are merges
-- of them), and what a token costs now.
--
-- Prices are SOL per whole token; null where a bucket holds dust or agent trades alone. A wider candle
-- is the merge of its minutes, exactly. At 2,000 swaps/s some 20,000 pools trade in a minute: a chunk of
-- each table is meant to stay in memory, indexes included.

-- `newest_ms`: the greatest time of a swap of the pool, which need not be its canonically newest's.
alter table pool add column newest_ms bigint;
alter table pool add column last_price double precision;
alter table pool add column last_price_ms bigint;

-- `first_slot` and `last_slot`: all swaps of the bucket stand between them.
create table candle_1m (
  pool_id integer not null,
  trade_count integer not null,
  bucket_ms bigint not null,
  open double precision,
  high double precision,
  low double precision,
  close double precision,
  first_slot bigint not null,
  last_slot bigint not null,
  volume_lamports numeric not null,
  primary key (pool_id, bucket_ms)
) with (fillfactor = 70);

create table candle_15m (
  pool_id integer not null,
  trade_count integer not null,
  bucket_ms bigint not null,
  open double precision,
  high double precision,
  low double precision,
  close double precision,
  volume_lamports numeric not null,
  primary key (pool_id, bucket_ms)
) with (fillfactor = 70);

create table candle_4h (like candle_15m, primary key (pool_id, bucket_ms)) with (fillfactor = 70);

-- 1 day, 7 days and 60 days a chunk, in milliseconds.
select create_hypertable(
  'candle_1m', by_range('bucket_ms', 86400000), create_default_indexes => false
);
select create_hypertable(
  'candle_15m', by_range('bucket_ms', 604800000), create_default_indexes => false
);
select create_hypertable(
  'candle_4h', by_range('bucket_ms', 5184000000), create_default_indexes => false
);

-- Where TimescaleDB's licence allows it, chunks that are done are compressed; the Apache build refuses.
do $$
declare
  kept record;
begin
  for kept in
    select *
    from (values
      ('candle_1m', 1209600000::bigint), ('candle_15m', 2592000000), ('candle_4h', 15552000000)
    ) as setting (name, after_ms)
  loop
    execute format('create function %I() returns bigint language sql stable return '
      '(extract(epoch from now()) * 1000)::bigint', kept.name || '_now');
    perform set_integer_now_func(kept.name::regclass, (kept.name || '_now')::regproc);
    execute format(
      'alter table %I set (timescaledb.compress, timescaledb.compress_segmentby = ''pool_id'', '
      'timescaledb.compress_orderby = ''bucket_ms'')', kept.name
    );
    perform add_compression_policy(kept.name::regclass, kept.after_ms);
  end loop;
exception when feature_not_supported then
  raise notice 'candles stay uncompressed: this build of TimescaleDB does not compress';
end
$$;

-- SOL and tokens of the priced trades of the dollar mints by minute: what the SOL/USD rate goes by.
create table dollar_minute (
  bucket_ms bigint not null,
  pool_id integer not null,
  decimals smallint not null,
  volume_lamports numeric not null,
  volume_units numeric not null,
  primary key (bucket_ms, pool_id, decimals)
) with (fillfactor = 70);

-- Time of the newest indexed swap, Unix ms; null before the first. Index: slot_span_pkey, a row a lane.
create function newest_swap_ms() returns bigint language sql stable
  return (select max(last_ms) from slot_span where width = 1000000000);

-- US dollars a SOL, by the newest five minutes with priced trades of USDC and USDT. Before any: what the
-- connection says (swaptide.sol_usd_fallback), else null. Index: dollar_minute_pkey.
create function sol_usd() returns double precision language sql stable
begin atomic
  select coalesce(
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
end;

-- What tokens cost now (semantics, section 3): price and time of the last priced trade of each one's top
-- pool, of the pools that ever had a priced trade. Tokens without one have no row.
--
-- The day's sums are taken only where two pools of a token traded in it: minutes up to a quarter,
-- quarters up to four hours, then fours. Indexes: pool_token, the primary keys of the candles.
create function token_prices(ids integer[])
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
  return query
  with pools as materialized (
    select
      pool.token_id, pool.id, pool.last_price, pool.last_price_ms, pool.last_timestamp_ms,
      pool.pair_address, pool.newest_ms >= from_ms as is_live,
      count(*) filter (where pool.newest_ms >= from_ms) over (partition by pool.token_id) as live
    from unnest(ids) as wanted (id)
    join pool on pool.token_id = wanted.id
    where pool.last_price is not null
  )
  select distinct on (pools.token_id)
    pools.token_id, pools.id, pools.last_price, pools.last_price_ms
  from pools
  left join lateral (
    select sum(part.volume_lamports) as volume_lamports, sum(part.trade_count) as trade_count
    from (
      select volume_lamports, trade_count
      from candle_1m
      where candle_1m.pool_id = pools.id and bucket_ms >= from_ms and bucket_ms < quarter_ms
      union all
      select volume_lamports, trade_count
      from candle_15m
      where candle_15m.pool_id = pools.id and bucket_ms >= quarter_ms and bucket_ms < four_ms
      union all
      select volume_lamports, trade_count
      from candle_4h
      where candle_4h.pool_id = pools.id and bucket_ms >= four_ms
    ) as part
    -- Here, not beside the join: so that no candle is looked up for a token with one pool.
    where pools.is_live and pools.live > 1
  ) as day on true
  order by
    pools.token_id, pools.is_live desc, day.volume_lamports desc nulls last,
    day.trade_count desc nulls last, case when not pools.is_live then pools.last_timestamp_ms end desc,
    pools.pair_address;
end
$$;
