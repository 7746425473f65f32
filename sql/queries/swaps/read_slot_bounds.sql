-- The first and last slot that swaps may have, in steps of 10,000; null before the first swap.
-- Index: slot_span_pkey, both ends. A bucket is the first slot of its run.
select
  min(bucket) as low_slot,
  max(bucket) + 9999 as high_slot
from slot_span
where width = 10000
