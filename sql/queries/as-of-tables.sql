-- name: as-of/count_earlier_trades
-- Trades of pools before a time. $1 integer[]: pool ids, $2 bigint: the beginning of four hours, Unix ms. Index: candle_4h_pkey.
select pool_id, sum(trade_count) as trade_count
from candle_4h
where pool_id = any ($1::integer[]) and bucket_ms < $2::bigint
group by pool_id

-- name: as-of/find_past_birth
-- The creator of a token as of a slot, the slot and signature of its canonically first `created` event, as in
-- tokens/read_profile, and the slots that hold every swap of its first day: null where it had no swap. $1 integer: token id, $2 bigint:
-- slot. An event that is the first of all is the first up to any slot that has it, and so is the pool that it is of. Index:
-- token_pkey, pool_token, candle_1m_pkey, slot_span_pkey, those of token_birth().
select
  coalesce(
    case when token.creator_slot is null or token.creator_slot <= $2::bigint then token.creator end,
    case when birth.slot <= $2::bigint then birth.creator end
  ) as creator,
  case when birth.slot <= $2::bigint then birth.slot end as creation_slot,
  case when birth.slot <= $2::bigint then birth.signature end as creation_signature,
  days.low_slot,
  days.high_slot
from token
left join token_birth(token.id) as birth on true
cross join lateral (
  select min(first.bucket_ms) / 14400000 * 14400000 as born_ms
  from pool
  cross join lateral (
    select bucket_ms
    from candle_1m
    where pool_id = pool.id and first_slot <= $2::bigint
    order by bucket_ms
    limit 1
  ) as first
  where pool.token_id = token.id and pool.first_slot <= $2::bigint
) as born
left join lateral (
  with coarse as (
    select min(bucket) as low, max(bucket) as high
    from slot_span
    where width = 10000 and bucket <= $2::bigint and last_ms >= born.born_ms and first_ms < born.born_ms + 100800000
  ),
  fine as (
    select coarse.low as coarse_low, coarse.high as coarse_high,
      (
        select min(bucket)
        from slot_span
        where width = 100
          and bucket between coarse.low and coarse.low + 9999
          and last_ms >= born.born_ms and first_ms < born.born_ms + 100800000
      ) as low,
      (
        select max(bucket)
        from slot_span
        where width = 100
          and bucket between coarse.high and coarse.high + 9999
          and last_ms >= born.born_ms and first_ms < born.born_ms + 100800000
      ) as high
    from coarse
    where coarse.low is not null
  )
  select
    coalesce(low, coarse_low) as low_slot,
    least(coalesce(high + 99, coarse_high + 9999), $2::bigint) as high_slot
  from fine
) as days on true
where token.id = $1

-- name: as-of/find_recompute
-- Whether a position in a token waits for a recompute. $1 integer: token id. Reads the whole of position_refold, which has few
-- rows.
select exists (select from position_refold where token_id = $1) as is_recomputed

-- name: as-of/list_changed_holders
-- Wallets whose positions in a token swaps after a slot changed. $1 integer: token id, $2 bigint: slot. Index: position_token,
-- wallet_pkey.
select position.wallet_id, wallet.address as wallet
from position
join wallet on wallet.id = position.wallet_id
where position.token_id = $1 and position.last_slot > $2::bigint

-- name: as-of/list_later_minutes
-- The first minute of tokens that has a swap after a slot; no row for a token without one. $1 integer[]: token ids, $2 bigint: slot,
-- $3 $4 bigint: first and last minute. Index: pool_token, candle_1m_pkey.
select pool.token_id, min(changed.bucket_ms) as bucket_ms
from pool
cross join lateral (
  select bucket_ms
  from candle_1m
  where pool_id = pool.id and bucket_ms between $3::bigint and $4::bigint and last_slot > $2::bigint
  order by bucket_ms
  limit 1
) as changed
where pool.token_id = any ($1::integer[]) and pool.last_slot > $2::bigint
group by pool.token_id

-- name: as-of/list_past_minutes
-- Minutes of pools that have a swap up to a slot. $1 integer[]: pool ids, $2 bigint: slot, $3 $4 bigint: first and last minute.
-- Index: candle_1m_pkey.
select
  pool_id, bucket_ms, open, high, low, close, first_slot, last_slot, volume_lamports, volume_units, trade_count,
  buy_count
from candle_1m
where pool_id = any ($1::integer[]) and bucket_ms between $3::bigint and $4::bigint and first_slot <= $2::bigint
order by pool_id, bucket_ms

-- name: as-of/list_past_pools
-- Pools of tokens that have swaps both up to a slot and after it. $1 integer[]: token ids, $2 bigint: slot, $3 bigint: the minute
-- from which on swaps after the slot may be, $4 bigint: the minute of the latest swap up to it. Result: the first minute with a
-- swap after the slot; the last one with a swap up to it, with the slot of its first swap. Index: pool_token, candle_1m_pkey.
select
  pool.id as pool_id, pool.first_slot, changed.bucket_ms as changed_ms, newest.bucket_ms as newest_bucket_ms,
  newest.first_slot as newest_first_slot, newest.trade_count as newest_trade_count
from pool
cross join lateral (
  select bucket_ms
  from candle_1m
  where pool_id = pool.id and bucket_ms >= $3::bigint and last_slot > $2::bigint
  order by bucket_ms
  limit 1
) as changed
cross join lateral (
  select bucket_ms, first_slot, trade_count
  from candle_1m
  where pool_id = pool.id and bucket_ms <= $4::bigint and first_slot <= $2::bigint
  order by bucket_ms desc
  limit 1
) as newest
where pool.token_id = any ($1::integer[]) and pool.first_slot <= $2::bigint and pool.last_slot > $2::bigint

-- name: as-of/list_past_starts
-- The minute of the first swap of tokens as of a slot, by pool: as time goes, not slots. `stored_ms`: the first time, null where
-- a swap after the slot may have changed it. $1 integer[]: token ids, $2 bigint: slot. Index: pool_token, candle_1m_pkey,
-- token_start_pkey.
with first as materialized (
  select pool.token_id, minute.*
  from pool
  cross join lateral (
    select pool_id, bucket_ms, first_slot, trade_count
    from candle_1m
    where pool_id = pool.id and first_slot <= $2::bigint
    order by bucket_ms
    limit 1
  ) as minute
  where pool.token_id = any ($1::integer[]) and pool.first_slot <= $2::bigint
),
born as (
  select token_id, min(bucket_ms) as bucket_ms
  from first
  group by token_id
)
select
  first.*,
  case
    when not exists (
      select
      from pool
      join candle_1m as candle on candle.pool_id = pool.id
      where pool.token_id = born.token_id and candle.bucket_ms = born.bucket_ms and candle.last_slot > $2::bigint
    ) then (
      select start.first_ms
      from token_start as start
      where start.token_id = born.token_id and start.first_ms >= born.bucket_ms and start.first_ms < born.bucket_ms + 60000
    )
  end as stored_ms
from born
join first on first.token_id = born.token_id and first.bucket_ms = born.bucket_ms

-- name: as-of/list_past_tokens
-- Mints as of a slot: whether each was known, and what the stored token lines state of it. $1 text[]: mints, $2 bigint: slot. `later_facts`: those
-- that a line after the slot states, in place of an earlier one or as the first. `is_named_later`: only lines after the slot are
-- stored of it, or nothing but its address. No row for a mint that is not stored. By mint. Indexes: token_address_key, those of known_at_slot.
select
  token.id, token.address as mint, token.symbol, token.name, token.decimals, token.supply, fact.is_known,
  not fact.is_known and fact.is_later as is_named_later,
  array_remove(
    array[
      case when token.creator_slot > $2::bigint then 'creator' end,
      case when token.symbol_slot > $2::bigint then 'symbol' end,
      case when token.name_slot > $2::bigint then 'name' end,
      case when token.decimals_slot > $2::bigint then 'decimals' end,
      case when token.supply_slot > $2::bigint then 'supply' end
    ],
    null
  ) as later_facts
from token
{+known_at_slot}
where token.address = any ($1)
order by token.address

-- name: as-of/list_token_minutes
-- Minutes of tokens' pools that have a swap up to a slot. $1 integer[]: token ids, $2 bigint: slot, $3 $4 bigint: first and last
-- minute. Index: pool_token, candle_1m_pkey.
select minute.pool_id, minute.bucket_ms, minute.first_slot, minute.trade_count
from pool
join candle_1m as minute on minute.pool_id = pool.id
where pool.token_id = any ($1::integer[]) and pool.first_slot <= $2::bigint
  and minute.bucket_ms between $3::bigint and $4::bigint and minute.first_slot <= $2::bigint

-- name: as-of/list_tokens_of
-- Ids of mints, and of the tokens of pair accounts. $1 text[]: mints, $2 text[]: pair accounts. Index: token_address_key,
-- pool_pair_address_token_id_key.
select id from token where address = any ($1)
union
select token_id from pool where pair_address = any ($2)

-- name: as-of/list_traded_pools
-- Pools of a token with their swaps. $1 integer: token id. Index: pool_token.
select id, first_slot, swap_count from pool where token_id = $1 and swap_count > 0 order by id

-- name: as-of/list_traders
-- Minutes of days in which wallets traded in pools. $1 integer[]: pool ids, $2 $3 integer: first and last day. Index:
-- pool_trader_pkey, wallet_pkey.
select traded.pool_id, traded.day, wallet.address as "user", traded.minutes
from pool_trader as traded
join wallet on wallet.id = traded.wallet_id
where traded.pool_id = any ($1::integer[]) and traded.day between $2::integer and $3::integer

-- name: as-of/view_minutes
-- Stands for `candle_1m` as of a slot, for the pools of some tokens. $1 bigint: the first minute that may have swaps after the slot,
-- $2 integer[]: pools that have swaps after it. Their minutes from there on as of the slot, pairwise: $3 integer[] pool_id,
-- $4 bigint[] bucket_ms, $5 to $8 double precision[] open, high, low, close, $9 $10 numeric[] lamports, base units, $11 to
-- $14 integer[] trades, buys, traders, traders of the next counted width, $15 $16 bigint[] first and last slot. Index: that of
-- the statement.
select
  pool_id, bucket_ms, open, high, low, close, volume_lamports, volume_units, trade_count, buy_count, trader_count,
  wide_trader_count, first_slot, last_slot
from candle_1m
where bucket_ms < $1::bigint or pool_id <> all ($2::integer[])
union all
select *
from unnest(
  $3::integer[], $4::bigint[], $5::double precision[], $6::double precision[], $7::double precision[],
  $8::double precision[], $9::numeric[], $10::numeric[], $11::integer[], $12::integer[], $13::integer[],
  $14::integer[], $15::bigint[], $16::bigint[]
)

-- name: as-of/view_pools
-- Stands for `pool` as of a slot, for the pools of some tokens. $1 bigint: slot. Pools that have swaps both up to the slot and after
-- it, as of the slot, pairwise: $2 integer[] id, $3 smallint[] dex, $4 bigint[] swap_count, $5 bigint[] slot, $6 bigint[]
-- block_tx_index, $7 integer[] ix_index, $8 boolean[] is_buy, $9 text[] signature, $10 smallint[] quote_decimals, $11 bigint[]
-- sol reserves, $12 bigint[] virtual quote reserves, $13 bigint[] newest_ms, $14 double precision[] price, $15 bigint[]
-- price_ms. Pools with a later first swap have none. The migration is that of the first event up to the slot, as in
-- load_pools. Index: those of the statement; pool_event_pool.
select
  own.*,
  (
    {+migrated_until}
  ) as migrated_at_ms
from (
  select
    id, pair_address, token_id, dex, swap_count, first_slot, last_slot, last_block_tx_index, last_ix_index, last_is_buy,
    last_signature, last_quote_decimals, last_sol_reserves, last_virtual_quote_reserves, newest_ms, last_price,
    last_price_ms
  from pool
  where last_slot <= $1::bigint
  union all
  select
    known.id, known.pair_address, known.token_id, handed.dex, handed.swap_count, known.first_slot, handed.slot,
    handed.block_tx_index, handed.ix_index, handed.is_buy, handed.signature collate "C", handed.quote_decimals,
    handed.sol_reserves, handed.virtual_quote_reserves, handed.newest_ms, handed.price, handed.price_ms
  from unnest(
    $2::integer[], $3::smallint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::integer[], $8::boolean[], $9::text[],
    $10::smallint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::double precision[], $15::bigint[]
  ) as handed (
    id, dex, swap_count, slot, block_tx_index, ix_index, is_buy, signature, quote_decimals, sol_reserves,
    virtual_quote_reserves, newest_ms, price, price_ms
  )
  join pool as known on known.id = handed.id
  union all
  select
    id, pair_address, token_id, null, 0, null, null, null, null, null, null, null, null, null, null, null, null
  from pool
  where coalesce(first_slot > $1::bigint, true)
) as own

-- name: as-of/view_pool_events
-- Stands for `pool_event` as of a slot. $1 bigint: slot. Index: that of the statement.
select
  pool_id, slot, block_tx_index, ix_index, timestamp_ms, dex, event, signature, creator, from_pair, sol_amount, token_amount
from pool_event
where slot <= $1::bigint

-- name: as-of/view_prices
-- Stands for the rows of token_prices() as of a slot, pairwise. $1 integer[] token_id, $2 integer[] pool_id, $3 double precision[]
-- price, $4 bigint[] price_ms, $5 smallint[] decimals.
select *
from unnest($1::integer[], $2::integer[], $3::double precision[], $4::bigint[], $5::smallint[])
  as priced (token_id, pool_id, price, price_ms, decimals)

-- name: as-of/view_rate
-- Stands for sol_usd() as of a slot. $1 double precision: the rate, or null.
select $1::double precision as rate

-- name: as-of/view_time
-- Stands for newest_swap_ms() as of a slot. $1 bigint: Unix ms, or null.
select $1::bigint as newest_ms

-- name: as-of/view_trader_hours
-- Stands for `trader_hour` as of a slot, of the day that ends with it. $1 bigint: the first minute with a swap after the slot, $2
-- integer[]: tokens that have one. Their hours from there on are those of their minutes: view_trader_minutes stands for
-- `trader_minute` here, too. A bucket that left traders out has all below its bound, and so has an hour below the least bound of
-- its minutes. Index: that of the statement; trader_minute_pkey.
select token_id, buy_count, bucket_ms, sell_count, buyers_below, sellers_below, buyers, sellers
from trader_hour
where bucket_ms < $1::bigint / 3600000 * 3600000 or token_id <> all ($2::integer[])
union all
select
  hour.token_id, hour.buy_count, hour.bucket_ms, hour.sell_count, coalesce(bought.wallets[1025], hour.buyers_below),
  coalesce(sold.wallets[1025], hour.sellers_below), bought.wallets[1:1024], sold.wallets[1:1024]
from (
  select
    token_id, bucket_ms / 3600000 * 3600000 as bucket_ms, sum(buy_count)::integer as buy_count,
    sum(sell_count)::integer as sell_count, min(buyers_below) as buyers_below, min(sellers_below) as sellers_below
  from trader_minute
  where token_id = any ($2::integer[]) and bucket_ms >= $1::bigint / 3600000 * 3600000
  group by token_id, bucket_ms / 3600000
) as hour
cross join lateral (
  select array(
    select distinct wallet
    from trader_minute as minute
    cross join unnest(minute.buyers) as wallet
    where minute.token_id = hour.token_id
      and minute.bucket_ms >= hour.bucket_ms and minute.bucket_ms < hour.bucket_ms + 3600000
      and coalesce(wallet < hour.buyers_below, true)
    order by wallet
  ) as wallets
) as bought
cross join lateral (
  select array(
    select distinct wallet
    from trader_minute as minute
    cross join unnest(minute.sellers) as wallet
    where minute.token_id = hour.token_id
      and minute.bucket_ms >= hour.bucket_ms and minute.bucket_ms < hour.bucket_ms + 3600000
      and coalesce(wallet < hour.sellers_below, true)
    order by wallet
  ) as wallets
) as sold

-- name: as-of/view_trader_minutes
-- Stands for `trader_minute` as of a slot, of the day that ends with it. $1 bigint: the first minute with a swap after the slot, $2
-- integer[]: tokens that have one. Their trades from there on up to the slot, pairwise: $3 integer[] token_id, $4 bigint[]
-- bucket_ms, $5 boolean[] is_buy, $6 integer[] mixed wallet, $7 integer[] trades. Index: that of the statement.
select token_id, buy_count, bucket_ms, sell_count, buyers_below, sellers_below, buyers, sellers
from trader_minute
where bucket_ms < $1::bigint or token_id <> all ($2::integer[])
union all
select
  token_id, buy_count, bucket_ms, sell_count, buyers[1025] as buyers_below, sellers[1025] as sellers_below, buyers[1:1024],
  sellers[1:1024]
from (
  select
    token_id, bucket_ms,
    coalesce(sum(trade_count) filter (where is_buy), 0)::integer as buy_count,
    coalesce(sum(trade_count) filter (where not is_buy), 0)::integer as sell_count,
    coalesce(array_agg(wallet order by wallet) filter (where is_buy), '{}') as buyers,
    coalesce(array_agg(wallet order by wallet) filter (where not is_buy), '{}') as sellers
  from unnest($3::integer[], $4::bigint[], $5::boolean[], $6::integer[], $7::integer[])
    as trade (token_id, bucket_ms, is_buy, wallet, trade_count)
  group by token_id, bucket_ms
) as minute

-- name: as-of/view_wide
-- variant quarters: table = candle_15m
-- variant fours: table = candle_4h
-- Stands for the table of wide candles as of a slot, for the pools of some tokens. $1 bigint: the first bucket that may have swaps after the
-- slot, $2 integer[]: pools that have swaps after it. Their buckets from there on as of the slot, pairwise: $3 integer[] pool_id,
-- $4 bigint[] bucket_ms, $5 to $8 double precision[] open, high, low, close, $9 $10 numeric[] lamports, base units, $11 to
-- $14 integer[] trades, buys, traders, traders of the next counted width. Index: that of the statement.
select
  pool_id, bucket_ms, open, high, low, close, volume_lamports, volume_units, trade_count, buy_count, trader_count,
  wide_trader_count
from {table}
where bucket_ms < $1::bigint or pool_id <> all ($2::integer[])
union all
select *
from unnest(
  $3::integer[], $4::bigint[], $5::double precision[], $6::double precision[], $7::double precision[],
  $8::double precision[], $9::numeric[], $10::numeric[], $11::integer[], $12::integer[], $13::integer[],
  $14::integer[]
)
