-- First and last time of the swaps of a run of slots, by pair. $1 bigint: first slot, $2 bigint: end. Index: swap_order.
select pool.pair_address, min(swap.timestamp_ms) as first_ms, max(swap.timestamp_ms) as last_ms
from swap
join pool on pool.id = swap.pool_id
where swap.slot >= $1 and swap.slot < $2
group by pool.pair_address
