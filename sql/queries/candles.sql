-- name: candles/find_close_before
-- The close of a pool's newest priced minute before a time, by few looks: in its quarter of an hour, in
-- its four hours, before. $1 integer: pool id, $2 bigint: a whole minute, $3 $4 bigint: the quarter and
-- the four hours that hold it. Indexes: the primary keys of the candles.
select close
from (
  (
    select bucket_ms, close
    from candle_1m
    where pool_id = $1 and bucket_ms >= $3 and bucket_ms < $2 and close is not null
    order by bucket_ms desc
    limit 1
  )
  union all
  (
    select bucket_ms, close
    from candle_15m
    where pool_id = $1 and bucket_ms >= $4 and bucket_ms < $3 and close is not null
    order by bucket_ms desc
    limit 1
  )
  union all
  (
    select bucket_ms, close
    from candle_4h
    where pool_id = $1 and bucket_ms < $4 and close is not null
    order by bucket_ms desc
    limit 1
  )
) as near
order by bucket_ms desc
limit 1

-- name: candles/find_first_bucket
-- Where a pool's candles begin, in steps of four hours; no row before the first. $1 integer: pool id.
-- Index: candle_4h_pkey.
select bucket_ms
from candle_4h
where pool_id = $1
order by bucket_ms
limit 1

-- name: candles/find_pool
-- The pool of a pair account, the busiest where several mints were reported for it (ties by mint), with its mint and its
-- newest time.
-- $1 text: pair address, $2 text: mint or null. Index: pool_pair_address_token_id_key,
-- token_pkey.
select pool.id, pool.newest_ms, pool.pair_address, token.address as token_address
from pool
join token on token.id = pool.token_id
where pool.pair_address = $1
  and {+known_pool}
  and ($2::text is null or token.address = $2)
order by pool.swap_count desc, token.address
limit 1

-- name: candles/find_top_pool
-- The top pool of a mint now, and its newest time; is_alone: no other pool of it has a price. $1 text: mint. Looked up
-- by itself, as in tokens/read_profile. Indexes: pool_pkey, pool_token, those of token_prices().
select
  pool.id, pool.newest_ms, pool.pair_address, $1::text as token_address,
  not exists (
    select
    from pool as rival
    where rival.token_id = priced.token_id and rival.id <> pool.id and rival.last_price is not null
  ) as is_alone
from token_prices(array(select id from token where address = $1)) as priced
cross join lateral (
  select id, newest_ms, pair_address from pool where id = priced.pool_id limit 1
) as pool

-- name: candles/find_top_pool_between
-- The pool of a mint with the largest volume in a range, of those that ever had a priced trade; no row
-- where none traded in it. $1 text: mint; then first and last bucket, bigint, of the range's stretches:
-- $2 $3 and $4 $5 of minutes, $6 $7 and $8 $9 of quarters, $10 $11 of four hours; an absent one ends before it begins.
-- Indexes: pool_token, the primary keys of the candles.
select pool.id, pool.newest_ms, pool.pair_address, $1::text as token_address
from pool
cross join lateral (
  select sum(part.volume_lamports) as volume_lamports, sum(part.trade_count) as trade_count
  from (
    select volume_lamports, trade_count
    from candle_1m
    where pool_id = pool.id and bucket_ms between $2 and $3
    union all
    select volume_lamports, trade_count
    from candle_1m
    where pool_id = pool.id and bucket_ms between $4 and $5
    union all
    select volume_lamports, trade_count
    from candle_15m
    where pool_id = pool.id and bucket_ms between $6 and $7
    union all
    select volume_lamports, trade_count
    from candle_15m
    where pool_id = pool.id and bucket_ms between $8 and $9
    union all
    select volume_lamports, trade_count
    from candle_4h
    where pool_id = pool.id and bucket_ms between $10 and $11
  ) as part
) as traded
where pool.token_id = (select id from token where address = $1)
  and pool.last_price is not null
  and traded.trade_count > 0
order by traded.volume_lamports desc, traded.trade_count desc, pool.pair_address
limit 1

-- name: candles/list_candles
-- Candles of a pool as lines of text, newest first; `-`: not counted; a line without a price ends after its traders. Up
-- to 256 lines are one text, with their count: for the reader a row each costs far more than the candles. $1 integer:
-- pool id, $2 $3 bigint: first bucket, and the end of the last, $4 integer: candles, $5 boolean: those without a price,
-- too. Index: {table}_pkey, backwards.
-- variant 1m: table = candle_1m; text_ms = 15360000
-- variant 15m: table = candle_15m; text_ms = 230400000
-- variant 4h: table = candle_4h; text_ms = 3686400000
select
  count(*)::integer as candles,
  string_agg(line, chr(10) order by bucket_ms desc) as lines
from (
  select
    bucket_ms,
    concat_ws(
      ' ', bucket_ms, volume_lamports, coalesce(volume_units::text, '-'), trade_count,
      coalesce(buy_count::text, '-'), coalesce(trader_count::text, '-'), open, high, low, close
    ) as line
  from {table}
  where pool_id = $1 and bucket_ms >= $2 and bucket_ms < $3 and ($5 or open is not null)
  order by bucket_ms desc
  limit $4
) as newest
group by bucket_ms / {text_ms}
order by bucket_ms / {text_ms} desc

-- name: candles/list_merged
-- Candles of a pool merged into wider ones as lines of text, newest first; `-`: one of them was not counted, or the
-- width counts no traders; a line without a price ends after its traders. Up to 256 lines are one text, with their
-- count: for the reader a row each costs far more than the candles. $1 integer: pool id, $2 $3 bigint: first bucket,
-- and the end of the last, $4 integer: candles, $5 boolean: those without a price, too, $6 bigint: width in
-- milliseconds. Index: {table}_pkey.
-- variant 1m: table = candle_1m; wide_ms = 300000
-- variant 15m: table = candle_15m; wide_ms = 3600000
-- variant 4h: table = candle_4h; wide_ms = 86400000
select
  count(*)::integer as candles,
  string_agg(line, chr(10) order by wide_ms desc) as lines
from (
  select
    time_bucket($6::bigint, bucket_ms) as wide_ms,
    concat_ws(
      ' ',
      time_bucket($6::bigint, bucket_ms),
      sum(volume_lamports),
      case when count(volume_units) = count(*) then sum(volume_units)::text else '-' end,
      sum(trade_count),
      case when count(buy_count) = count(*) then sum(buy_count)::text else '-' end,
      case
        when $6 = {wide_ms} and count(wide_trader_count) = count(*)
          then sum(wide_trader_count)::text
        else '-'
      end,
      first(open, bucket_ms) filter (where open is not null),
      max(high),
      min(low),
      last(close, bucket_ms) filter (where close is not null)
    ) as line
  from {table}
  where pool_id = $1 and bucket_ms >= $2 and bucket_ms < $3
  group by 1
  having $5 or count(open) > 0
  order by 1 desc
  limit $4
) as newest
group by wide_ms / (256 * $6::bigint)
order by wide_ms / (256 * $6::bigint) desc

-- name: candles/list_rival_quarters
-- Trades of the pools of a mint by quarters of an hour, from which the time follows since when one is the top pool.
-- Only pools with a price, the 12 with the most trades and the requested one. $1 text: mint, $2 integer: pool id,
-- $3 integer: quarters, the newest indexed swap's the last. Result: pair_address, quarters integer[] (0: the first),
-- volumes double precision[] (lamports), trades integer[], these null where it did not trade; older_quarter integer,
-- the newest before them, or null; first_ms bigint. The edge is computed once: written into the join, for each candle.
-- Indexes: pool_token, candle_15m_pkey.
with edge as materialized (
  select newest_swap_ms() / 900000 * 900000 - ($3::bigint - 1) * 900000 as first_ms
),
rival as materialized (
  select pool.id, pool.pair_address
  from pool
  where pool.token_id = (select token.id from token where token.address = $1)
    and pool.last_price is not null
  order by pool.id = $2 desc, pool.swap_count desc, pool.pair_address
  limit 12
)
select
  rival.pair_address, own.quarters, own.volumes, own.trades,
  (
    select ((candle_15m.bucket_ms - (select first_ms from edge)) / 900000)::integer
    from candle_15m
    where candle_15m.pool_id = rival.id and candle_15m.bucket_ms < (select first_ms from edge)
    order by candle_15m.bucket_ms desc
    limit 1
  ) as older_quarter,
  (select first_ms from edge) as first_ms
from rival
cross join lateral (
  select
    array_agg(quarter order by quarter) as quarters,
    array_agg(volume order by quarter) as volumes,
    array_agg(trade_count order by quarter) as trades
  from (
    select
      ((bucket_ms - (select first_ms from edge)) / 900000)::integer as quarter,
      volume_lamports::double precision as volume,
      trade_count::integer as trade_count
    from candle_15m
    where pool_id = rival.id
      and bucket_ms >= (select first_ms from edge)
      and bucket_ms < (select first_ms from edge) + $3::bigint * 900000
  ) as candle
) as own

-- name: candles/read_newest
-- Where trailing windows end, Unix ms: the newest indexed swap's time, or now if that is earlier; null before the
-- first swap. Index: that of newest_swap_ms().
select newest_swap_ms() as newest_ms

-- name: candles/read_range
-- A pool's range of time as one candle of its candles with a price. $1 integer: pool id,
-- $2 $3 bigint: first bucket, and the end of the last, $4 bigint: width of a candle in milliseconds.
-- Index: {table}_pkey.
-- variant 1m: table = candle_1m
-- variant 15m: table = candle_15m
-- variant 4h: table = candle_4h
select
  first(open, bucket_ms) as open, max(high) as high, min(low) as low,
  last(close, bucket_ms) as close, coalesce(sum(volume_lamports), 0) as volume_lamports,
  count(*) as sample_count
from (
  select
    time_bucket($4::bigint, bucket_ms) as bucket_ms,
    first(open, bucket_ms) filter (where open is not null) as open,
    max(high) as high,
    min(low) as low,
    last(close, bucket_ms) filter (where close is not null) as close,
    sum(volume_lamports) as volume_lamports
  from {table}
  where pool_id = $1 and bucket_ms >= $2 and bucket_ms < $3
  group by 1
  having count(open) > 0
) as candle
