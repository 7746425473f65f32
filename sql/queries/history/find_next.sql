-- The first slot after another that swaps and pool events of a window of time may have; null without any.
-- $1 bigint, $2 bigint: first and last Unix ms; $3 bigint: slot. Index: slot_span_pkey, pool_event_order. A bucket is
-- the first slot of its run.
select
  least(
    (
      select greatest(min(bucket), least($3::bigint + 1, 9007199254740991))
      from slot_span
      where width = 10000 and last_ms >= $1 and first_ms <= $2 and bucket > $3::bigint - 10000
    ),
    (select min(slot) from pool_event where timestamp_ms between $1 and $2 and slot > $3::bigint)
  ) as slot
