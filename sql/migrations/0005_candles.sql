-- Candles, SOL/USD and volume by venue. Written by the pool actor and by `rebuild candles`.

-- One row a pool and minute with a swap, by the minute's beginning. Prices are SOL per whole token; null where the
-- bucket holds dust or agent trades alone. All swaps of the bucket lie between `first_slot` and `last_slot`.
--
-- At 2,000 swaps/s some 20,000 pools trade in a minute: the newest chunk of each table, with its index, is meant to fit
-- in memory.
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

-- The same by 15 minutes: exact merges of the minutes. Timeframes between are merged when they are read.
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

-- The same by 4 hours.
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

-- Compresses chunks after 14, 30 and 180 days where TimescaleDB's licence allows it; the Apache build refuses.
do $$
declare
  compressed record;
begin
  for compressed in
    select *
    from (values
      ('candle_1m', 1209600000::bigint), ('candle_15m', 2592000000), ('candle_4h', 15552000000)
    ) as setting (name, after_ms)
  loop
    execute format('create function %I() returns bigint language sql stable return '
      '(extract(epoch from now()) * 1000)::bigint', compressed.name || '_now');
    perform set_integer_now_func(compressed.name::regclass, (compressed.name || '_now')::regproc);
    execute format(
      'alter table %I set (timescaledb.compress, timescaledb.compress_segmentby = ''pool_id'', '
      'timescaledb.compress_orderby = ''bucket_ms'')', compressed.name
    );
    perform add_compression_policy(compressed.name::regclass, compressed.after_ms);
  end loop;
exception when feature_not_supported then
  raise notice 'candles stay uncompressed: this build of TimescaleDB does not compress';
end
$$;

-- SOL (lamports) and dollar tokens (base units of `decimals`) that the priced trades of the dollar mints moved in a
-- minute: the source of sol_usd().
create table dollar_minute (
  bucket_ms bigint not null,
  pool_id integer not null,
  decimals smallint not null,
  volume_lamports numeric not null,
  volume_units numeric not null,
  primary key (bucket_ms, pool_id, decimals)
) with (fillfactor = 70);

-- Trades and SOL of each venue by the minute (width 60000) and by 15 minutes (width 900000): a day is 96 quarters and
-- the minutes of its edge. One row a lane, so that lanes never wait for each other's rows.
create table venue_volume (
  width integer not null,
  bucket_ms bigint not null,
  dex smallint not null,
  lane smallint not null,
  trade_count bigint not null,
  volume_lamports numeric not null,
  primary key (width, bucket_ms, dex, lane)
) with (fillfactor = 60);
