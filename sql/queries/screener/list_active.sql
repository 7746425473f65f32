-- Ids of tokens that traded in the n minutes which end with the newest swap. $1 integer: n. Every pool is
-- looked at. Index: pool_pkey.
select coalesce(array_agg(distinct token_id), '{}') as ids
from pool
where newest_ms >= (select newest_swap_ms() / 60000 * 60000 - ($1::bigint - 1) * 60000)
