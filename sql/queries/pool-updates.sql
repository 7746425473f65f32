-- name: pool/merge_sums
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
-- $60 to $63 bigint[] retracted_swap, retracted_pool_event, dropped_swap, dropped_pool_event.
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
    id, lane, accepted, duplicate, conflict, other, dead, retracted_swap, retracted_pool_event, dropped_swap,
    dropped_pool_event
  )
  select added.id, $1::smallint, added.accepted, added.duplicate, added.conflict, added.other,
    added.dead, added.retracted_swap, added.retracted_pool_event, added.dropped_swap, added.dropped_pool_event
  from unnest(
    $11::text[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[],
    $60::bigint[], $61::bigint[], $62::bigint[], $63::bigint[]
  ) as added (
    id, accepted, duplicate, conflict, other, dead, retracted_swap, retracted_pool_event, dropped_swap, dropped_pool_event
  )
  on conflict (id, lane) do update set
    accepted = run.accepted + excluded.accepted,
    duplicate = run.duplicate + excluded.duplicate,
    conflict = run.conflict + excluded.conflict,
    other = run.other + excluded.other,
    dead = run.dead + excluded.dead,
    retracted_swap = run.retracted_swap + excluded.retracted_swap,
    retracted_pool_event = run.retracted_pool_event + excluded.retracted_pool_event,
    dropped_swap = run.dropped_swap + excluded.dropped_swap,
    dropped_pool_event = run.dropped_pool_event + excluded.dropped_pool_event,
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

-- name: pool/merge_tokens
-- Merges token lines: for each field the value of the highest slot wins, ties by the greater text.
-- One line per mint and call (the caller merges those of a batch). Pairwise: $1 text[] address,
-- then per field the value and its slot: $2 text[] $3 bigint[] creator, $4 smallint[] $5 bigint[]
-- decimals, $6 text[] $7 bigint[] symbol, $8 text[] $9 bigint[] name, $10 bigint[] $11 bigint[]
-- supply, $12 text[] $13 bigint[] sector, $14 text[] $15 bigint[] uri; $16 $17 $18 text[]: search keys of symbol, name and
-- sector, which go with them. A null value changes nothing. Index: the unique key of token. A known mint is sent with its id: each row
-- without one consumes an identity value, before the conflict is detected, and an hourly import would exhaust integer
-- within a year.
insert into token (
  id, address, creator, creator_slot, decimals, decimals_slot, symbol, symbol_slot, name, name_slot,
  supply, supply_slot, sector, sector_slot, uri, uri_slot, symbol_key, name_key, sector_key
)
overriding system value
select
  coalesce(
    (select known.id from token as known where known.address = line.address),
    nextval('token_id_seq')
  ),
  line.*
from unnest(
  $1::text[], $2::text[], $3::bigint[], $4::smallint[], $5::bigint[], $6::text[], $7::bigint[],
  $8::text[], $9::bigint[], $10::bigint[], $11::bigint[], $12::text[], $13::bigint[],
  $14::text[], $15::bigint[], $16::text[], $17::text[], $18::text[]
) as line (
  address, creator, creator_slot, decimals, decimals_slot, symbol, symbol_slot, name, name_slot,
  supply, supply_slot, sector, sector_slot, uri, uri_slot, symbol_key, name_key, sector_key
)
on conflict (address) do update set
  creator = case
    when excluded.creator_slot is null then token.creator
    when token.creator_slot is null then excluded.creator
    when (excluded.creator_slot, excluded.creator::text collate "C")
      > (token.creator_slot, token.creator::text collate "C") then excluded.creator
    else token.creator
  end,
  creator_slot = case
    when excluded.creator_slot is null then token.creator_slot
    when token.creator_slot is null then excluded.creator_slot
    when (excluded.creator_slot, excluded.creator::text collate "C")
      > (token.creator_slot, token.creator::text collate "C") then excluded.creator_slot
    else token.creator_slot
  end,
  decimals = case
    when excluded.decimals_slot is null then token.decimals
    when token.decimals_slot is null then excluded.decimals
    when (excluded.decimals_slot, excluded.decimals::text collate "C")
      > (token.decimals_slot, token.decimals::text collate "C") then excluded.decimals
    else token.decimals
  end,
  decimals_slot = case
    when excluded.decimals_slot is null then token.decimals_slot
    when token.decimals_slot is null then excluded.decimals_slot
    when (excluded.decimals_slot, excluded.decimals::text collate "C")
      > (token.decimals_slot, token.decimals::text collate "C") then excluded.decimals_slot
    else token.decimals_slot
  end,
  symbol = case
    when excluded.symbol_slot is null then token.symbol
    when token.symbol_slot is null then excluded.symbol
    when (excluded.symbol_slot, excluded.symbol::text collate "C")
      > (token.symbol_slot, token.symbol::text collate "C") then excluded.symbol
    else token.symbol
  end,
  symbol_slot = case
    when excluded.symbol_slot is null then token.symbol_slot
    when token.symbol_slot is null then excluded.symbol_slot
    when (excluded.symbol_slot, excluded.symbol::text collate "C")
      > (token.symbol_slot, token.symbol::text collate "C") then excluded.symbol_slot
    else token.symbol_slot
  end,
  name = case
    when excluded.name_slot is null then token.name
    when token.name_slot is null then excluded.name
    when (excluded.name_slot, excluded.name::text collate "C")
      > (token.name_slot, token.name::text collate "C") then excluded.name
    else token.name
  end,
  name_slot = case
    when excluded.name_slot is null then token.name_slot
    when token.name_slot is null then excluded.name_slot
    when (excluded.name_slot, excluded.name::text collate "C")
      > (token.name_slot, token.name::text collate "C") then excluded.name_slot
    else token.name_slot
  end,
  supply = case
    when excluded.supply_slot is null then token.supply
    when token.supply_slot is null then excluded.supply
    when (excluded.supply_slot, excluded.supply::text collate "C")
      > (token.supply_slot, token.supply::text collate "C") then excluded.supply
    else token.supply
  end,
  supply_slot = case
    when excluded.supply_slot is null then token.supply_slot
    when token.supply_slot is null then excluded.supply_slot
    when (excluded.supply_slot, excluded.supply::text collate "C")
      > (token.supply_slot, token.supply::text collate "C") then excluded.supply_slot
    else token.supply_slot
  end,
  sector = case
    when excluded.sector_slot is null then token.sector
    when token.sector_slot is null then excluded.sector
    when (excluded.sector_slot, excluded.sector::text collate "C")
      > (token.sector_slot, token.sector::text collate "C") then excluded.sector
    else token.sector
  end,
  sector_slot = case
    when excluded.sector_slot is null then token.sector_slot
    when token.sector_slot is null then excluded.sector_slot
    when (excluded.sector_slot, excluded.sector::text collate "C")
      > (token.sector_slot, token.sector::text collate "C") then excluded.sector_slot
    else token.sector_slot
  end,
  uri = case
    when excluded.uri_slot is null then token.uri
    when token.uri_slot is null then excluded.uri
    when (excluded.uri_slot, excluded.uri::text collate "C")
      > (token.uri_slot, token.uri::text collate "C") then excluded.uri
    else token.uri
  end,
  uri_slot = case
    when excluded.uri_slot is null then token.uri_slot
    when token.uri_slot is null then excluded.uri_slot
    when (excluded.uri_slot, excluded.uri::text collate "C")
      > (token.uri_slot, token.uri::text collate "C") then excluded.uri_slot
    else token.uri_slot
  end,
  symbol_key = case
    when excluded.symbol_slot is null then token.symbol_key
    when token.symbol_slot is null then excluded.symbol_key
    when (excluded.symbol_slot, excluded.symbol::text collate "C")
      > (token.symbol_slot, token.symbol::text collate "C") then excluded.symbol_key
    else token.symbol_key
  end,
  name_key = case
    when excluded.name_slot is null then token.name_key
    when token.name_slot is null then excluded.name_key
    when (excluded.name_slot, excluded.name::text collate "C")
      > (token.name_slot, token.name::text collate "C") then excluded.name_key
    else token.name_key
  end,
  sector_key = case
    when excluded.sector_slot is null then token.sector_key
    when token.sector_slot is null then excluded.sector_key
    when (excluded.sector_slot, excluded.sector::text collate "C")
      > (token.sector_slot, token.sector::text collate "C") then excluded.sector_key
    else token.sector_key
  end

-- name: pool/update_impacts
-- Price impacts that late arrivals changed. Pairwise: $1 integer[] pool_id, $2 bigint[] slot,
-- $3 bigint[] block_tx_index, $4 integer[] ix_index, $5 text[] signature, $6 text[] user,
-- $7 boolean[] is_buy, $8 bigint[] sol_amount, $9 bigint[] token_amount, $10 bigint[] impact or null,
-- $11 $12 bigint: least and greatest of the slots, which leave out all other chunks;
-- $13 smallint[] dex.
-- Index: swap_pool.
update swap
set price_impact_bps = changed.price_impact_bps
from unnest(
  $1::integer[], $2::bigint[], $3::bigint[], $4::integer[], $5::text[], $6::text[], $7::boolean[],
  $8::bigint[], $9::bigint[], $10::bigint[], $13::smallint[]
) as changed (
  pool_id, slot, block_tx_index, ix_index, signature, user_address, is_buy, sol_amount,
  token_amount, price_impact_bps, dex
)
join wallet on wallet.address = changed.user_address
where swap.pool_id = changed.pool_id
  and swap.slot = changed.slot
  and swap.block_tx_index = changed.block_tx_index
  and swap.ix_index = changed.ix_index
  and swap.signature = changed.signature
  and swap.wallet_id = wallet.id
  and swap.dex = changed.dex
  and swap.is_buy = changed.is_buy
  and swap.sol_amount = changed.sol_amount
  and swap.token_amount = changed.token_amount
  and swap.slot between $11::bigint and $12::bigint

-- name: pool/update_pools
-- The state of the pools that a batch touched, pairwise by pool.
-- $1 integer[] id, $2 smallint[] dex, $3 bigint[] swap_count, $4 bigint[] last_slot,
-- $5 bigint[] last_block_tx_index, $6 integer[] last_ix_index, $7 bigint[] last_timestamp_ms,
-- $8 boolean[] last_is_buy, $9 text[] last_signature, $10 text[] last_user,
-- $11 bigint[] last_sol_amount, $12 bigint[] last_token_amount, $13 bigint[] last_sol_reserves,
-- $14 bigint[] last_token_reserves, $15 double precision[] last_price_after,
-- $16 double precision[] corrected_pool_price, $17 bigint[] migrated_at_ms, $18 text[] migrated_from,
-- $19 bigint[] newest_ms, $20 double precision[] last_price, $21 bigint[] last_price_ms, $22 bigint[] first_slot,
-- $23 smallint[] last_quote_decimals, $24 bigint[] last_virtual_quote_reserves.
update pool
set
  dex = coalesce(state.dex, pool.dex),
  swap_count = state.swap_count,
  last_slot = state.last_slot,
  last_block_tx_index = state.last_block_tx_index,
  last_ix_index = state.last_ix_index,
  last_timestamp_ms = state.last_timestamp_ms,
  last_is_buy = state.last_is_buy,
  last_signature = state.last_signature,
  last_user = state.last_user,
  last_sol_amount = state.last_sol_amount,
  last_token_amount = state.last_token_amount,
  last_sol_reserves = state.last_sol_reserves,
  last_token_reserves = state.last_token_reserves,
  last_price_after = state.last_price_after,
  corrected_pool_price = state.corrected_pool_price,
  migrated_at_ms = state.migrated_at_ms,
  migrated_from = state.migrated_from,
  newest_ms = state.newest_ms,
  last_price = state.last_price,
  last_price_ms = state.last_price_ms,
  first_slot = state.first_slot,
  last_quote_decimals = state.last_quote_decimals,
  last_virtual_quote_reserves = state.last_virtual_quote_reserves
from unnest(
  $1::integer[], $2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::integer[],
  $7::bigint[], $8::boolean[], $9::text[], $10::text[], $11::bigint[], $12::bigint[], $13::bigint[],
  $14::bigint[], $15::double precision[], $16::double precision[], $17::bigint[], $18::text[],
  $19::bigint[], $20::double precision[], $21::bigint[], $22::bigint[], $23::smallint[],
  $24::bigint[]
) as state (
  id, dex, swap_count, last_slot, last_block_tx_index, last_ix_index, last_timestamp_ms,
  last_is_buy, last_signature, last_user, last_sol_amount, last_token_amount, last_sol_reserves,
  last_token_reserves, last_price_after, corrected_pool_price, migrated_at_ms, migrated_from,
  newest_ms, last_price, last_price_ms, first_slot, last_quote_decimals,
  last_virtual_quote_reserves
)
where pool.id = state.id
