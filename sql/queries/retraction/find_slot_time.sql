-- When about a slot was, by the swaps of its hundred slots, Unix ms; null where none is stored; the newest swap's time; and
-- whether a lane has accepted the retraction. $1 bigint: slot, $2 text: blockhash ('': not given). Indexes: slot_span_pkey,
-- retraction_pkey.
select
  (
    select max(last_ms) from slot_span where width = 100 and bucket = $1::bigint / 100 * 100
  ) as slot_ms,
  newest_swap_ms() as newest_ms,
  exists (select from retraction where slot = $1 and blockhash = $2) as is_accepted
