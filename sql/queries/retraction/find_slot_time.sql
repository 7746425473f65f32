-- When about a slot was, by the swaps of its hundred slots, Unix ms; null where none is stored; and the newest swap's
-- time. $1 bigint: slot. Index: slot_span_pkey.
select
  (
    select max(last_ms) from slot_span where width = 100 and bucket = $1::bigint / 100 * 100
  ) as slot_ms,
  newest_swap_ms() as newest_ms
