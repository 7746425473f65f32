-- name: verify/close_traders
-- Closes the cursor of open_traders, so that it may be opened again.
close traders

-- name: verify/fetch_traders
-- The next rows of open_traders, each with a thousand wallets of either side at most; none at the end.
fetch forward 2000 from traders

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
