-- Ids of tokens that traded in the n minutes which end with the newest swap, or now if that is earlier.
-- $1 integer: n. Every pool is looked at. Indexes: pool_pkey, that of pool_traded().
select coalesce(array_agg(distinct token_id), '{}') as ids
from (select newest_swap_ms() / 60000 * 60000 + 60000 as end_ms) as span
cross join lateral (select end_ms - $1::bigint * 60000 as from_ms) as began
join pool on pool.newest_ms >= from_ms
where pool.newest_ms < end_ms or pool_traded(pool.id, from_ms, end_ms)
