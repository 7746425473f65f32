-- First and last slot that swaps and pool events of a window of time may have; null where there are none.
-- $1 bigint, $2 bigint: first and last Unix ms. Index: slot_span_pkey, pool_event_time. A bucket is the
-- first slot of its run.
select
  least(swaps.low, events.low) as low_slot,
  greatest(swaps.high, events.high) as high_slot
from (
  select min(bucket) as low, max(bucket) + 9999 as high
  from slot_span
  where width = 10000 and last_ms >= $1 and first_ms <= $2
) swaps
cross join (
  select min(slot) as low, max(slot) as high
  from pool_event
  where timestamp_ms between $1 and $2
) events
