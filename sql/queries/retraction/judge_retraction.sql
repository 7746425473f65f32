-- Judges a retraction, unless it has been judged before: it is refused where its slot was before the first day that may be
-- retracted. $1 bigint: slot, $2 text: blockhash ('': not given), $3 bigint: ms from that day's beginning to that of the newest
-- swap's. Result: is_refused; slot_ms: when about the slot was, by the swaps of its hundred slots, Unix ms; null where none
-- is stored. Indexes: slot_span_pkey, retraction_pkey, retraction_verdict_pkey.
with stored as (
  select max(last_ms) as slot_ms from slot_span where width = 100 and bucket = $1::bigint / 100 * 100
)
insert into retraction_verdict as judged (slot, blockhash, is_refused)
select
  $1, $2,
  coalesce(slot_ms < newest_swap_ms() / 86400000 * 86400000 - $3::bigint, false)
    and not exists (select from retraction where slot = $1 and blockhash = $2)
from stored
on conflict (slot, blockhash) do update set is_refused = judged.is_refused
returning is_refused, (select slot_ms from stored) as slot_ms
