-- Merges what a batch adds into the candles of all three widths; what is stored comes first.
-- Pairwise by candle, minutes: $1 integer[] pool_id, $2 integer[] trade_count, $3 bigint[] bucket_ms,
-- $4 $5 $6 $7 double precision[] open, high, low, close, $8 $9 bigint[] first_slot, last_slot,
-- $10 numeric[] volume_lamports; quarters of an hour: $11 to $18 the same without the slots; four
-- hours: $19 to $26. Indexes: the primary keys.
with minute as (
  insert into candle_1m as candle (
    pool_id, trade_count, bucket_ms, open, high, low, close, first_slot, last_slot, volume_lamports
  )
  select *
  from unnest(
    $1::integer[], $2::integer[], $3::bigint[], $4::double precision[], $5::double precision[],
    $6::double precision[], $7::double precision[], $8::bigint[], $9::bigint[], $10::numeric[]
  )
  on conflict (pool_id, bucket_ms) do update set
    trade_count = candle.trade_count + excluded.trade_count,
    open = coalesce(candle.open, excluded.open),
    high = greatest(candle.high, excluded.high),
    low = least(candle.low, excluded.low),
    close = coalesce(excluded.close, candle.close),
    first_slot = least(candle.first_slot, excluded.first_slot),
    last_slot = greatest(candle.last_slot, excluded.last_slot),
    volume_lamports = candle.volume_lamports + excluded.volume_lamports
), quarter as (
  insert into candle_15m as candle (
    pool_id, trade_count, bucket_ms, open, high, low, close, volume_lamports
  )
  select *
  from unnest(
    $11::integer[], $12::integer[], $13::bigint[], $14::double precision[], $15::double precision[],
    $16::double precision[], $17::double precision[], $18::numeric[]
  )
  on conflict (pool_id, bucket_ms) do update set
    trade_count = candle.trade_count + excluded.trade_count,
    open = coalesce(candle.open, excluded.open),
    high = greatest(candle.high, excluded.high),
    low = least(candle.low, excluded.low),
    close = coalesce(excluded.close, candle.close),
    volume_lamports = candle.volume_lamports + excluded.volume_lamports
)
insert into candle_4h as candle (
  pool_id, trade_count, bucket_ms, open, high, low, close, volume_lamports
)
select *
from unnest(
  $19::integer[], $20::integer[], $21::bigint[], $22::double precision[], $23::double precision[],
  $24::double precision[], $25::double precision[], $26::numeric[]
)
on conflict (pool_id, bucket_ms) do update set
  trade_count = candle.trade_count + excluded.trade_count,
  open = coalesce(candle.open, excluded.open),
  high = greatest(candle.high, excluded.high),
  low = least(candle.low, excluded.low),
  close = coalesce(excluded.close, candle.close),
  volume_lamports = candle.volume_lamports + excluded.volume_lamports
