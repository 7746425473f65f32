-- Times of the swaps next to gaps, in the order of the gaps. Pairwise: $1 bigint[], $2 bigint[]: first and last slot.
-- Result: before_ms, after_ms: Unix ms of the newest swap before and of the first one after; null without one.
-- Index: swap_order, one entry each, and those that tie with it.
select
  (
    select timestamp_ms from swap where slot < gap.from_slot
    order by slot desc, block_tx_index desc, ix_index desc, dex desc, timestamp_ms desc limit 1
  ) as before_ms,
  (
    select timestamp_ms from swap where slot > gap.to_slot
    order by slot, block_tx_index, ix_index, dex, timestamp_ms limit 1
  ) as after_ms
from unnest($1::bigint[], $2::bigint[]) with ordinality as gap (from_slot, to_slot, place)
order by gap.place
