-- The slots that hold every swap of a window of time; null where there is none.
-- $1 bigint, $2 bigint: first and last Unix ms. Index: slot_span_pkey.
-- Coarse by runs of 10,000 slots, then the two edges by runs of 100 slots within them.
with coarse as (
  select min(bucket) as low, max(bucket) as high
  from slot_span
  where width = 10000 and last_ms >= $1 and first_ms <= $2
)
select
  coalesce(
    (
      select min(bucket) * 100
      from slot_span
      where width = 100
        and bucket between coarse.low * 100 and coarse.low * 100 + 99
        and last_ms >= $1 and first_ms <= $2
    ),
    coarse.low * 10000
  ) as low_slot,
  coalesce(
    (
      select max(bucket) * 100 + 99
      from slot_span
      where width = 100
        and bucket between coarse.high * 100 and coarse.high * 100 + 99
        and last_ms >= $1 and first_ms <= $2
    ),
    coarse.high * 10000 + 9999
  ) as high_slot
from coarse
where coarse.low is not null
