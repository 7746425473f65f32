-- name: as-of/find_changed
-- The positions of wallets that swaps after a slot changed, and how many swaps they hold; whether a wallet has others, whose rows
-- are those of the slot, and whether a position of the wallet waits for a recompute. No row for a wallet without a position.
-- $1 text[]: wallets, $2 bigint: slot. Index: wallet_address_key, wallet_pkey, the primary keys of position and
-- position_refold.
select
  position.wallet_id,
  (select address from wallet where id = position.wallet_id) as wallet,
  coalesce(array_agg(position.token_id) filter (where position.last_slot > $2), '{}') as token_ids,
  coalesce(sum(position.swap_count) filter (where position.last_slot > $2), 0)::bigint as swap_count,
  bool_or(position.last_slot <= $2) as has_others,
  exists (select from position_refold where position_refold.wallet_id = position.wallet_id) as is_recomputed
from position
where position.wallet_id = any (array(select id from wallet where address = any ($1::text[])))
group by position.wallet_id

-- name: as-of/find_first_retraction
-- The lowest slot of which a pool lane has a retraction to apply; null without one. Reads all retractions, of which there are few.
select min(slot) as first_slot from retraction where not is_applied

-- name: as-of/find_folded
-- The positions of a wallet, in some mints, and how many swaps they hold; whether a position of the wallet waits for a
-- recompute. No row without a position. $1 text: wallet, $2 text[]: mints, null for any. Index: wallet_address_key,
-- token_address_key, the primary keys of position and position_refold. A row that begins with the wallet: written as
-- token_id = y, the planner may scan all holders of a mint.
select
  position.wallet_id, array_agg(position.token_id) as token_ids, sum(position.swap_count)::bigint as swap_count,
  exists (select from position_refold where position_refold.wallet_id = position.wallet_id) as is_recomputed
from position
where position.wallet_id = (select id from wallet where address = $1)
  and ($2::text[] is null or position.token_id = any (array(select id from token where address = any ($2))))
group by position.wallet_id

-- name: as-of/find_unapplied
-- Whether a pool lane has work left at or before a slot: a retraction that it has not applied, or a pool whose impacts it has to
-- compute again. $1 bigint: slot. Indexes: retraction_pkey, pool_pkey, all of pool_repair, which has few rows.
select
  exists (select from retraction where slot <= $1::bigint and not is_applied) as is_retraction_left,
  exists (
    select
    from pool_repair
    join pool on pool.id = pool_repair.pool_id
    where pool_repair.next_slot <= $1::bigint and pool.first_slot <= $1::bigint
  ) as is_repair_left

-- name: as-of/list_applied
-- How far each lane of the ledger and the ranking has read of FEED, and the pool lanes' messages in it. `first_slot`: of a
-- commit that FEED may lack; null without one. `sequence`: up to which a lane has read, or that of the pool lane's newest
-- message. `published_commit`: the newest commit that publishes, in how many messages. Reads the whole of checkpoint.
select
  actor, lane, published_commit, published_parts,
  case when actor = 'pool' then feed_epoch else stream_epoch end as epoch,
  case when actor = 'pool' then feed_sequence else greatest(sequence, seen_sequence) end as sequence,
  (select min(slot) from unnest(first_slots) as slot) as first_slot
from checkpoint
where actor in ('pool', 'ledger', 'ranking')

-- name: as-of/list_changed_pairs
-- Positions of pairs of a wallet and a mint, how many swaps they hold, and whether one of them is later than a slot; whether a
-- position of the wallet waits for a recompute. No row for a pair without a position. $1 text[], $2 text[]: wallets and mints
-- (pairwise), $3 bigint: slot. Index: wallet_address_key, token_address_key, the primary keys of position and
-- position_refold. A row that begins with the wallet: written as token_id = y, the planner may scan all holders of a mint.
with requested as materialized (
  select distinct wallet.address as wallet, wallet.id as wallet_id, token.id as token_id
  from unnest($1::text[], $2::text[]) as each (wallet, mint)
  join wallet on wallet.address = each.wallet
  join token on token.address = each.mint
)
select
  requested.wallet, requested.wallet_id, requested.token_id, position.swap_count,
  position.last_slot > $3::bigint as is_changed,
  exists (select from position_refold where position_refold.wallet_id = requested.wallet_id) as is_recomputed
from requested
join position
  on (position.wallet_id, position.token_id) >= (requested.wallet_id, requested.token_id)
    and (position.wallet_id, position.token_id) <= (requested.wallet_id, requested.token_id)

-- name: as-of/list_changed_pools
-- Pools of tokens that have swaps after a slot. `is_begun`: whether the pool has one up to it, too; `has_rival`: whether the
-- token has another pool that may have a price at the slot. $1 integer[]: token ids, $2 bigint: slot. Index: pool_token.
select
  pool.token_id, pool.id as pool_id, pool.first_slot, pool.first_slot <= $2::bigint as is_begun,
  exists (
    select
    from pool as rival
    where rival.token_id = pool.token_id and rival.id <> pool.id
      and rival.first_slot <= $2::bigint and rival.last_price is not null
  ) as has_rival
from pool
where pool.token_id = any ($1::integer[]) and pool.last_slot > $2::bigint

-- name: as-of/list_cut_dollars
-- Minutes with priced trades of the dollar mints that have swaps both up to a slot and after it. $1 bigint: slot, $2 $3
-- bigint: the first and the last minute to look at, Unix ms. Indexes: dollar_minute_pkey, candle_1m_pkey.
select distinct candle.pool_id, candle.bucket_ms, candle.first_slot, candle.last_slot, candle.trade_count
from dollar_minute as dollar
join candle_1m as candle on candle.pool_id = dollar.pool_id and candle.bucket_ms = dollar.bucket_ms
where dollar.bucket_ms between $2::bigint and $3::bigint
  and candle.bucket_ms between $2::bigint and $3::bigint
  and candle.first_slot <= $1::bigint and candle.last_slot > $1::bigint

-- name: as-of/list_cut_minutes
-- Minutes of pools that have swaps both up to a slot and after it. $1 integer[]: pool ids, $2 bigint: slot, $3 $4 bigint: the
-- first minute to look at and the one that follows the last, Unix ms. Index: candle_1m_pkey.
select pool_id, bucket_ms, first_slot, last_slot, trade_count
from candle_1m
where pool_id = any ($1::integer[]) and bucket_ms >= $3::bigint and bucket_ms < $4::bigint
  and first_slot <= $2::bigint and last_slot > $2::bigint

-- name: as-of/list_held
-- Tokens of the positions of wallets that no swap after a slot changed, of those tokens that swaps after it changed the pools of,
-- by whether the wallet holds any: at most two rows. $1 integer[]: wallet ids, $2 bigint: slot. Index: position_pkey,
-- pool_token.
select balance > 0 as is_open, array_agg(distinct token_id) as token_ids
from position
where wallet_id = any ($1::integer[]) and last_slot <= $2::bigint
  and exists (select from pool where pool.token_id = position.token_id and pool.last_slot > $2::bigint)
group by is_open

-- name: as-of/list_no_held_token
-- No row of the table, for statements that read it as of a slot.
select wallet_id, mint, quantity from held_token where false

-- name: as-of/list_no_reconciliation
-- No row of the table, for statements that read it as of a slot.
select wallet_id, reconciled_ms from reconciliation where false

-- name: as-of/list_no_wallet_tag
-- No row of the table, for statements that read it as of a slot.
select wallet_id, token_id, tag from wallet_tag where false

-- name: as-of/list_past_positions
-- Positions as of a slot, for statements that read them as the table: rows that no later swap changed, and those that were
-- folded up to the slot. $1 bigint: slot, $2 jsonb: folded rows, numbers as texts. Index: that of the statement, which the
-- planner uses for a join where no part of the union has a condition of its own, and none is a bare function (offset 0).
select *
from (
  select
    wallet_id, token_id, buy_count, sell_count, covered_sell_count, win_count, transaction_count, arbitrage_count, balance,
    basis, lots_cost, realized_strict, realized_adjusted, buys_lamports, sells_lamports, uncovered_quantity,
    uncovered_lamports, largest_buy_lamports, largest_sell_lamports, fastest_flip_ms, longest_hold_ms, first_trade_ms,
    last_trade_ms, last_slot
  from position
  union all
  (select
    wallet_id, token_id, buy_count, sell_count, covered_sell_count, win_count, transaction_count, arbitrage_count, balance,
    basis, lots_cost, realized_strict, realized_adjusted, buys_lamports, sells_lamports, uncovered_quantity,
    uncovered_lamports, largest_buy_lamports, largest_sell_lamports, fastest_flip_ms, longest_hold_ms, first_trade_ms,
    last_trade_ms, 0::bigint
  from jsonb_to_recordset($2::jsonb) as folded (
    wallet_id integer, token_id integer, buy_count bigint, sell_count bigint, covered_sell_count bigint, win_count bigint,
    transaction_count bigint, arbitrage_count bigint, balance numeric, basis numeric, lots_cost numeric,
    realized_strict numeric, realized_adjusted numeric, buys_lamports numeric, sells_lamports numeric,
    uncovered_quantity numeric, uncovered_lamports numeric, largest_buy_lamports bigint, largest_sell_lamports bigint,
    fastest_flip_ms bigint, longest_hold_ms bigint, first_trade_ms bigint, last_trade_ms bigint
  )
  offset 0)
) as past
where last_slot <= $1::bigint

-- name: as-of/list_past_prices
-- Prices that are handed over, as token_prices() returns them. $1 integer[], $2 double precision[], $3 bigint[], $4
-- smallint[]: token_id, price, price_ms, decimals (pairwise).
select token_id, price, price_ms, decimals
from unnest($1::integer[], $2::double precision[], $3::bigint[], $4::smallint[])
  as handed (token_id, price, price_ms, decimals)

-- name: as-of/list_prices
-- Prices of tokens as of a slot, as token_prices() has them of all swaps; no row for a token without one. $1 integer[]: token
-- ids, $2 bigint: slot. The day that decides between pools, in Unix ms: $3 bigint its beginning, $4 of its first quarter
-- of an hour, $5 $6 of the first and after the last four hours, $7 after the last quarter, $8 its end; swaps after the slot are
-- not before the end of any of these quarters. Pools that have swaps both up to the slot and after it, as of the slot,
-- pairwise: $9 integer[] pool_id, $10 double precision[] price, $11 bigint[] price_ms, $12 smallint[] decimals, $13 bigint[]
-- slot, $14 bigint[] block_tx_index, $15 integer[] ix_index, $16 smallint[] dex, $17 boolean[] is_buy, $18 text[] signature.
-- Their minutes that are cut likewise, pairwise: $19 integer[] pool_id, $20 numeric[] lamports, $21 bigint[] trades.
-- Result: token_id, pool_id, price, price_ms, decimals. Indexes: pool_token, pool_pkey, the primary keys of the candles.
with changed as materialized (
  select
    pool_id, price, price_ms, decimals, slot, block_tx_index, ix_index, dex, is_buy, signature collate "C" as signature
  from unnest(
    $9::integer[], $10::double precision[], $11::bigint[], $12::smallint[], $13::bigint[], $14::bigint[],
    $15::integer[], $16::smallint[], $17::boolean[], $18::text[]
  ) as each (pool_id, price, price_ms, decimals, slot, block_tx_index, ix_index, dex, is_buy, signature)
),
known as materialized (
  select
    pool.token_id, pool.id, pool.pair_address, pool.last_price as price, pool.last_price_ms as price_ms,
    pool.last_quote_decimals as decimals, pool.last_slot as slot, pool.last_block_tx_index as block_tx_index,
    pool.last_ix_index as ix_index, pool.dex, pool.last_is_buy as is_buy, pool.last_signature as signature,
    pool.newest_ms >= $3::bigint as is_live
  from pool
  where pool.token_id = any ($1::integer[]) and pool.last_slot <= $2::bigint
  union all
  select
    pool.token_id, pool.id, pool.pair_address, changed.price, changed.price_ms, changed.decimals, changed.slot,
    changed.block_tx_index, changed.ix_index, changed.dex, changed.is_buy, changed.signature,
    exists (
      select
      from candle_1m
      where candle_1m.pool_id = pool.id and bucket_ms >= $3::bigint and bucket_ms < $8::bigint
        and first_slot <= $2::bigint
    ) as is_live
  from changed
  join pool on pool.id = changed.pool_id
),
stated as (
  select
    known.*,
    first_value(known.decimals) over (
      partition by token_id
      order by
        slot desc, block_tx_index desc, ix_index desc, dex desc, is_buy, signature desc, pair_address desc
    ) as token_decimals
  from known
),
rivals as materialized (
  select stated.*, count(*) filter (where is_live) over (partition by token_id) as live
  from stated
  where price is not null
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
      and bucket_ms >= $3::bigint and bucket_ms < $4::bigint and last_slot <= $2::bigint
    union all
    select pool_id, volume_lamports, trade_count
    from candle_15m
    where pool_id = any ((select ids from compared)::integer[])
      and bucket_ms >= $4::bigint and bucket_ms < least($5::bigint, $7::bigint)
    union all
    select pool_id, volume_lamports, trade_count
    from candle_4h
    where pool_id = any ((select ids from compared)::integer[])
      and bucket_ms >= $5::bigint and bucket_ms < $6::bigint
    union all
    select pool_id, volume_lamports, trade_count
    from candle_15m
    where pool_id = any ((select ids from compared)::integer[])
      and bucket_ms >= $6::bigint and bucket_ms < $7::bigint
    union all
    select pool_id, volume_lamports, trade_count
    from candle_1m
    where pool_id = any ((select ids from compared)::integer[])
      and bucket_ms >= $7::bigint and bucket_ms < $8::bigint and last_slot <= $2::bigint
    union all
    select * from unnest($19::integer[], $20::numeric[], $21::bigint[])
  ) as part
  group by part.pool_id
)
select distinct on (rivals.token_id)
  rivals.token_id, rivals.id as pool_id, rivals.price, rivals.price_ms, rivals.token_decimals as decimals
from rivals
left join day on day.pool_id = rivals.id
order by
  rivals.token_id, rivals.is_live desc, day.volume_lamports desc nulls last, day.trade_count desc nulls last,
  case when rivals.is_live then rivals.pair_address end,
  -- If none is live, the pool with the last swap wins.
  rivals.slot desc, rivals.block_tx_index desc, rivals.ix_index desc, rivals.dex desc, rivals.is_buy,
  rivals.signature desc, rivals.pair_address desc

-- name: as-of/list_unchanged_prices
-- Prices of the tokens of which no pool has a swap after a slot. $1 integer[]: token ids, $2 bigint: slot, $3 bigint: the latest
-- time of a swap up to it, Unix ms. Indexes: those of token_prices_as_of().
select token_id, pool_id, price, price_ms, decimals
from token_prices_as_of($1::integer[], $2::bigint, $3::bigint)

-- name: as-of/read_given_rate
-- The SOL/USD rate that is handed over, as sol_usd_quote() returns it, the latest time of a swap, and the slot. $1 double
-- precision, $2 bigint, $3 text: rate, minute_ms, source; $4 bigint: Unix ms; $5 bigint: slot.
select
  $1::double precision as rate, $2::bigint as minute_ms, $3::text as source, $4::bigint as latest_ms, $5::bigint as slot

-- name: as-of/read_newest_event_slot
-- The greatest slot of an indexed pool event; null before the first. Index: pool_event_order.
select max(slot) as newest_slot from pool_event

-- name: as-of/read_rate
-- The median rate of the newest 15 minutes as of a slot, as sol_usd_quote() has it of all swaps. $1 bigint: slot, $2 bigint:
-- where the minutes end, Unix ms, $3 bigint: the minute from which on swaps after the slot may be; $4 numeric: least lamports of
-- a minute that counts, $5 bigint: rows of minutes to read, and all that tie with the last of them. Minutes that are cut by the
-- slot, as of it, pairwise: $6 bigint[] bucket_ms, $7 smallint[] decimals, $8 $9 numeric[] lamports, base units.
-- Result: minute_count, rate and minute_ms, null without a minute; `fallback`: the connection's setting.
-- Indexes: dollar_minute_pkey backwards, candle_1m_pkey.
with dollar as (
  (
    select bucket_ms, decimals, volume_lamports, volume_units
    from dollar_minute
    where bucket_ms <= $2::bigint and bucket_ms < $3::bigint
    order by bucket_ms desc
    fetch first $5 rows with ties
  )
  union all
  select later.bucket_ms, later.decimals, later.volume_lamports, later.volume_units
  from dollar_minute as later
  join candle_1m on candle_1m.pool_id = later.pool_id and candle_1m.bucket_ms = later.bucket_ms
  where later.bucket_ms between $3::bigint and $2::bigint and candle_1m.bucket_ms between $3::bigint and $2::bigint
    and candle_1m.last_slot <= $1::bigint
  union all
  select * from unnest($6::bigint[], $7::smallint[], $8::numeric[], $9::numeric[])
),
recent as (
  select *
  from dollar
  order by bucket_ms desc
  fetch first $5 rows with ties
),
minute as (
  select
    bucket_ms, sum(volume_units / 10::numeric ^ decimals) / (sum(volume_lamports) / 1000000000) as rate
  from recent
  group by bucket_ms
  having sum(volume_lamports) >= $4::numeric
  order by bucket_ms desc
  limit 15
)
select
  count(*) as minute_count,
  (percentile_disc(0.5) within group (order by minute.rate))::double precision as rate,
  max(minute.bucket_ms) as minute_ms,
  nullif(current_setting('swaptide.sol_usd_fallback', true), '')::double precision as fallback
from minute
