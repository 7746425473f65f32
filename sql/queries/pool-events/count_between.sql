-- How many pool events a window of time has, as far as that matters.
-- $1 bigint, $2 bigint: first and last timestamp_ms; $3 integer: the most to count. Index: pool_event_time.
select count(*)::integer as event_count
from (
  select from pool_event where timestamp_ms between $1 and $2 limit $3
) as counted
