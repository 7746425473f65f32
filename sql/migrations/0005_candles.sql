-- Candles of pools by the minute, the quarter of an hour and four hours (the widths between are merges
-- of them), and what a token costs now.
--
-- Prices are SOL per whole token; null where a bucket holds dust or agent trades alone.

alter table pool add column last_price double precision;
alter table pool add column last_price_ms bigint;

create table candle_1m (
  pool_id integer not null,
  bucket_ms bigint not null,
  open double precision,
  high double precision,
  low double precision,
  close double precision,
  volume_lamports numeric not null,
  trade_count integer not null,
  primary key (pool_id, bucket_ms)
);

-- 7 days a chunk, in milliseconds.
select create_hypertable(
  'candle_1m', by_range('bucket_ms', 604800000), create_default_indexes => false
);

create table candle_15m (like candle_1m, primary key (pool_id, bucket_ms));

select create_hypertable(
  'candle_15m', by_range('bucket_ms', 7776000000), create_default_indexes => false
);

create table candle_4h (like candle_1m, primary key (pool_id, bucket_ms));

select create_hypertable(
  'candle_4h', by_range('bucket_ms', 31536000000), create_default_indexes => false
);

-- Time of the newest indexed swap, Unix ms; null before the first.
create function newest_swap_ms() returns bigint language sql stable
  return (select max(last_ms) from slot_span where width = 10000);

-- What tokens cost now (semantics, section 3): price and time of the last priced trade of each one's top
-- pool. Tokens without a priced trade have no row.
create function token_prices(ids integer[])
  returns table (token_id integer, pool_id integer, price double precision, price_ms bigint)
  language sql stable
begin atomic
  select distinct on (pool.token_id) pool.token_id, pool.id, pool.last_price, pool.last_price_ms
  from pool
  left join lateral (
    select sum(candle.volume_lamports) as volume_lamports, sum(candle.trade_count) as trade_count
    from candle_1m candle
    where candle.pool_id = pool.id
      and candle.bucket_ms > newest_swap_ms() / 60000 * 60000 - 1440 * 60000::bigint
  ) as day on true
  where pool.token_id = any (ids) and pool.last_price is not null
  order by pool.token_id, coalesce(day.volume_lamports, 0) desc, coalesce(day.trade_count, 0) desc,
    case when day.trade_count is null then pool.last_timestamp_ms end desc, pool.pair_address;
end;

-- US dollars a SOL, by the newest five minutes with priced trades of USDC and USDT; null before any.
create function sol_usd() returns double precision language sql stable
begin atomic
  select null::double precision;
end;
