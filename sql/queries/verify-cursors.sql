-- name: verify/close_token_trades
-- Closes the cursor of open_token_trades, so that it may be opened again.
close token_trades

-- name: verify/close_traders
-- Closes the cursor of open_traders, so that it may be opened again.
close traders

-- name: verify/fetch_token_trades
-- The next rows of open_token_trades; none at the end.
fetch forward 20000 from token_trades

-- name: verify/fetch_traders
-- The next rows of open_traders, each with a thousand wallets of either side at most; none at the end.
fetch forward 2000 from traders

-- name: verify/fetch_venue_volumes
-- The next rows of open_venue_volumes; none at the end.
fetch forward 5000 from venue_volumes

-- name: verify/open_token_trades
-- Begins to read all stored swaps of tokens: a cursor of the transaction, read by fetch_token_trades, as one token may
-- have more of them than fit into memory. $1 $2 integer: from the first to before the second. Hour by hour, so that no
-- more than one is held. Indexes: pool_token, swap_pool.
declare token_trades no scroll cursor for
select
  pool.token_id, swap.timestamp_ms, swap.is_buy, swap.wallet_id,
  swap.timestamp_ms / 3600000 * 3600000 as hour_ms
from pool
join swap on swap.pool_id = pool.id
where pool.token_id >= $1 and pool.token_id < $2
order by hour_ms

-- name: verify/open_traders
-- Begins to read buckets of traders of tokens: a cursor of the transaction, read by fetch_traders. $1 $2 integer: from
-- the first to before the second. Hour by hour, as open_token_trades. Indexes: the primary keys.
declare traders no scroll cursor for
select
  false as is_hour, token_id, bucket_ms, buy_count, sell_count, buyers_below, sellers_below, buyers,
  sellers, bucket_ms / 3600000 * 3600000 as hour_ms
from trader_minute
where token_id >= $1 and token_id < $2
union all
select
  true, token_id, bucket_ms, buy_count, sell_count, buyers_below, sellers_below, buyers, sellers, bucket_ms
from trader_hour
where token_id >= $1 and token_id < $2
order by hour_ms

-- name: verify/open_venue_volumes
-- Opens the volumes of venues by minute and quarter, as stored over all lanes and as computed from the swaps: a cursor
-- of the transaction, read by fetch_venue_volumes, as years have millions of minutes. In the order of the table's key.
-- Reads all of swap, once. Index: none.
declare venue_volumes no scroll cursor for
select
  width, bucket_ms, dex, stored.trade_count || ' ' || stored.volume_lamports as stored,
  folded.trade_count || ' ' || folded.volume_lamports as folded
from (
  select width, bucket_ms, dex, sum(trade_count) as trade_count, sum(volume_lamports) as volume_lamports
  from venue_volume
  group by width, bucket_ms, dex
) as stored
full join (
  select
    case when grouping(minute_ms) = 0 then 60000 else 900000 end as width,
    case when grouping(minute_ms) = 0 then minute_ms else quarter_ms end as bucket_ms, dex,
    count(*) as trade_count, sum(sol_amount) as volume_lamports
  from (
    select
      timestamp_ms / 60000 * 60000 as minute_ms, timestamp_ms / 900000 * 900000 as quarter_ms, dex, sol_amount
    from swap
  ) as traded
  group by grouping sets ((minute_ms, dex), (quarter_ms, dex))
) as folded using (width, bucket_ms, dex)
order by width, bucket_ms, dex
