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
