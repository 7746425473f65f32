-- All stored swaps of tokens, token by token. $1 $2 integer: from the first to before the second.
-- Indexes: pool_token, swap_pool.
select pool.token_id, swap.timestamp_ms, swap.is_buy, swap.wallet_id
from pool
join swap on swap.pool_id = pool.id
where pool.token_id >= $1 and pool.token_id < $2
order by pool.token_id
