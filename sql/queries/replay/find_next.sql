-- A slot behind $1 bigint that swaps and pool events behind it do not stand before; null where there are none.
-- Index: slot_span_pkey, pool_event_order. A bucket is the first slot of its run.
select
  least(
    (select greatest(min(bucket), $1 + 1) from slot_span where width = 10000 and bucket > $1 - 10000),
    (select min(slot) from pool_event where slot > $1)
  ) as slot
