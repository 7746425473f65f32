-- Pools of a pair account, of a mint, or of both, with the slot of their newest swap.
-- $1 text: pair address, $2 text: mint; null for any, never both.
-- Index: pool_pair_address_token_id_key or pool_token, each looked at only where it is asked for.
select id, last_slot
from pool
where pair_address = $1
  and ($2::text is null or token_id = (select id from token where address = $2))
union all
select id, last_slot
from pool
where $1::text is null and token_id = (select id from token where address = $2)
