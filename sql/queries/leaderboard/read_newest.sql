-- Time of the newest indexed swap (null before the first), and when this transaction began, both Unix ms.
-- Index: slot_span_pkey.
select newest_swap_ms() as newest_ms,
  floor(extract(epoch from now()) * 1000)::bigint as now_ms
