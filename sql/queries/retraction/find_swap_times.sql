-- First and last time of the swaps of a run of slots; null without a swap. $1 bigint: first slot, $2 bigint: end. Index:
-- swap_order.
select min(timestamp_ms) as first_ms, max(timestamp_ms) as last_ms
from swap
where slot >= $1 and slot < $2
