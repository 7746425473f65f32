-- Positions that do not hold as many swaps as are stored. $1 integer[]: wallet ids.
-- Indexes: swap_wallet; the primary keys of pool and position.
select coalesce(stored.wallet_id, position.wallet_id) as wallet_id,
  coalesce(stored.token_id, position.token_id) as token_id
from (
  select swap.wallet_id, pool.token_id, count(*) as swap_count
  from swap
  join pool on pool.id = swap.pool_id
  where swap.wallet_id = any ($1::integer[])
  group by swap.wallet_id, pool.token_id
) as stored
full join (
  select wallet_id, token_id, swap_count
  from position
  where wallet_id = any ($1::integer[])
) as position
  on position.wallet_id = stored.wallet_id and position.token_id = stored.token_id
where stored.swap_count is distinct from position.swap_count
