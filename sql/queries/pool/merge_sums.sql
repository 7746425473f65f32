-- Adds a batch to the sums: slot spans, volumes of venues, runs of ingest, dollar minutes, candles of all three widths,
-- where the stored value comes first. One statement, because for a small batch each statement costs more than its rows.
-- After pool/update_pools in the same transaction: see candles/lock_pool.
-- $1 smallint: lane. Pairwise by row: spans $2 integer[] width, $3 bigint[] bucket, $4 $5 bigint[]
-- first_ms, last_ms; venues, in the order of the key, $6 integer[] width, $7 bigint[] bucket_ms,
-- $8 smallint[] dex, $9 bigint[] trade_count, $10 numeric[] volume_lamports; runs $11 text[] id,
-- $12 to $16 bigint[] accepted, duplicate, conflict, other, dead; priced trades of dollar mints
-- $17 bigint[] bucket_ms, $18 integer[] pool_id, $19 smallint[] decimals, $20 $21 numeric[] lamports, token
-- base units; minutes $22 integer[] pool_id, $23 integer[] trade_count, $24 bigint[] bucket_ms, $25 to $28
-- double precision[] open, high, low, close, $29 $30 bigint[] first_slot, last_slot, $31 $32 numeric[]
-- volume_lamports, volume_units, $33 to $35 integer[] buy_count, trader_count, wide_trader_count; quarters of an hour
-- $36 to $47 the same without the slots; four hours $48 to $59. A sum that was never counted (null) stays so. Of the runs
-- $60 $61 bigint[] retracted_swap, retracted_pool_event.
-- Indexes: the primary keys.
with span as (
  insert into slot_span as span (lane, width, bucket, first_ms, last_ms)
  select $1::smallint, added.width, added.bucket, added.first_ms, added.last_ms
  from unnest($2::integer[], $3::bigint[], $4::bigint[], $5::bigint[])
    as added (width, bucket, first_ms, last_ms)
  on conflict (width, bucket, lane) do update set
    first_ms = least(span.first_ms, excluded.first_ms),
    last_ms = greatest(span.last_ms, excluded.last_ms)
), venue as (
  insert into venue_volume as stored (width, bucket_ms, dex, lane, trade_count, volume_lamports)
  select added.width, added.bucket_ms, added.dex, $1::smallint, added.trade_count,
    added.volume_lamports
  from unnest($6::integer[], $7::bigint[], $8::smallint[], $9::bigint[], $10::numeric[])
    as added (width, bucket_ms, dex, trade_count, volume_lamports)
  on conflict (width, bucket_ms, dex, lane) do update set
    trade_count = stored.trade_count + excluded.trade_count,
    volume_lamports = stored.volume_lamports + excluded.volume_lamports
), run as (
  insert into ingest_run as run (
    id, lane, accepted, duplicate, conflict, other, dead, retracted_swap, retracted_pool_event
  )
  select added.id, $1::smallint, added.accepted, added.duplicate, added.conflict, added.other,
    added.dead, added.retracted_swap, added.retracted_pool_event
  from unnest(
    $11::text[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[],
    $60::bigint[], $61::bigint[]
  ) as added (
    id, accepted, duplicate, conflict, other, dead, retracted_swap, retracted_pool_event
  )
  on conflict (id, lane) do update set
    accepted = run.accepted + excluded.accepted,
    duplicate = run.duplicate + excluded.duplicate,
    conflict = run.conflict + excluded.conflict,
    other = run.other + excluded.other,
    dead = run.dead + excluded.dead,
    retracted_swap = run.retracted_swap + excluded.retracted_swap,
    retracted_pool_event = run.retracted_pool_event + excluded.retracted_pool_event,
    updated_at = now()
), dollar as (
  insert into dollar_minute as minute (
    bucket_ms, pool_id, decimals, volume_lamports, volume_units
  )
  select *
  from unnest($17::bigint[], $18::integer[], $19::smallint[], $20::numeric[], $21::numeric[])
  on conflict (bucket_ms, pool_id, decimals) do update set
    volume_lamports = minute.volume_lamports + excluded.volume_lamports,
    volume_units = minute.volume_units + excluded.volume_units
), minute as (
  insert into candle_1m as candle (
    pool_id, trade_count, bucket_ms, open, high, low, close, first_slot, last_slot, volume_lamports,
    volume_units, buy_count, trader_count, wide_trader_count
  )
  select *
  from unnest(
    $22::integer[], $23::integer[], $24::bigint[], $25::double precision[],
    $26::double precision[], $27::double precision[], $28::double precision[], $29::bigint[],
    $30::bigint[], $31::numeric[], $32::numeric[], $33::integer[], $34::integer[], $35::integer[]
  )
  on conflict (pool_id, bucket_ms) do update set
    trade_count = candle.trade_count + excluded.trade_count,
    open = coalesce(candle.open, excluded.open),
    high = greatest(candle.high, excluded.high),
    low = least(candle.low, excluded.low),
    close = coalesce(excluded.close, candle.close),
    first_slot = least(candle.first_slot, excluded.first_slot),
    last_slot = greatest(candle.last_slot, excluded.last_slot),
    volume_lamports = candle.volume_lamports + excluded.volume_lamports,
    volume_units = candle.volume_units + excluded.volume_units,
    buy_count = candle.buy_count + excluded.buy_count,
    trader_count = candle.trader_count + excluded.trader_count,
    wide_trader_count = candle.wide_trader_count + excluded.wide_trader_count
), quarter as (
  insert into candle_15m as candle (
    pool_id, trade_count, bucket_ms, open, high, low, close, volume_lamports, volume_units,
    buy_count, trader_count, wide_trader_count
  )
  select *
  from unnest(
    $36::integer[], $37::integer[], $38::bigint[], $39::double precision[],
    $40::double precision[], $41::double precision[], $42::double precision[], $43::numeric[],
    $44::numeric[], $45::integer[], $46::integer[], $47::integer[]
  )
  on conflict (pool_id, bucket_ms) do update set
    trade_count = candle.trade_count + excluded.trade_count,
    open = coalesce(candle.open, excluded.open),
    high = greatest(candle.high, excluded.high),
    low = least(candle.low, excluded.low),
    close = coalesce(excluded.close, candle.close),
    volume_lamports = candle.volume_lamports + excluded.volume_lamports,
    volume_units = candle.volume_units + excluded.volume_units,
    buy_count = candle.buy_count + excluded.buy_count,
    trader_count = candle.trader_count + excluded.trader_count,
    wide_trader_count = candle.wide_trader_count + excluded.wide_trader_count
)
insert into candle_4h as candle (
  pool_id, trade_count, bucket_ms, open, high, low, close, volume_lamports, volume_units, buy_count,
  trader_count, wide_trader_count
)
select *
from unnest(
  $48::integer[], $49::integer[], $50::bigint[], $51::double precision[], $52::double precision[],
  $53::double precision[], $54::double precision[], $55::numeric[], $56::numeric[], $57::integer[],
  $58::integer[], $59::integer[]
)
on conflict (pool_id, bucket_ms) do update set
  trade_count = candle.trade_count + excluded.trade_count,
  open = coalesce(candle.open, excluded.open),
  high = greatest(candle.high, excluded.high),
  low = least(candle.low, excluded.low),
  close = coalesce(excluded.close, candle.close),
  volume_lamports = candle.volume_lamports + excluded.volume_lamports,
  volume_units = candle.volume_units + excluded.volume_units,
  buy_count = candle.buy_count + excluded.buy_count,
  trader_count = candle.trader_count + excluded.trader_count,
  wide_trader_count = candle.wide_trader_count + excluded.wide_trader_count
