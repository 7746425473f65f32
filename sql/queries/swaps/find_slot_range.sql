-- The slots that hold every swap of a window of time; no row without any.
-- $1 bigint, $2 bigint: first and last Unix ms. Index: slot_span_pkey.
-- Coarse by runs of 10,000 slots, then the two edges by runs of 100 slots within them. A bucket is
-- the first slot of its run.
with coarse as (
  select min(bucket) as low, max(bucket) as high
  from slot_span
  where width = 10000 and last_ms >= $1 and first_ms <= $2
)
select
  coalesce(
    (
      select min(bucket)
      from slot_span
      where width = 100
        and bucket between coarse.low and coarse.low + 9999
        and last_ms >= $1 and first_ms <= $2
    ),
    coarse.low
  ) as low_slot,
  coalesce(
    (
      select max(bucket) + least(99, 9007199254740991 - max(bucket))
      from slot_span
      where width = 100
        and bucket between coarse.high and coarse.high + 9999
        and last_ms >= $1 and first_ms <= $2
    ),
    coarse.high + least(9999, 9007199254740991 - coarse.high)
  ) as high_slot
from coarse
where coarse.low is not null
