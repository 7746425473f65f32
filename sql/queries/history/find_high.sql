-- The last slot that swaps and pool events of a window of time may have; null without any.
-- $1 bigint, $2 bigint: first and last Unix ms. Index: slot_span_pkey, pool_event_time. A bucket is the
-- first slot of its run.
select
  greatest(
    (
      select max(bucket) + least(9999, 9007199254740991 - max(bucket))
      from slot_span
      where width = 10000 and last_ms >= $1 and first_ms <= $2
    ),
    (select max(slot) from pool_event where timestamp_ms between $1 and $2)
  ) as high_slot
