-- The first and last slot that swaps may have, in steps of 10,000; null before the first swap.
-- Index: slot_span_pkey, both ends. A bucket is the first slot of its run; no slot exceeds 2^53 - 1, beyond which
-- JavaScript's numbers are not exact.
select
  min(bucket) as low_slot,
  max(bucket) + least(9999, 9007199254740991 - max(bucket)) as high_slot
from slot_span
where width = 10000
