-- name: as-of/find_unapplied
-- Whether a pool lane has work left at or before a slot: a retraction that it has not applied, or a pool to repair. $1
-- bigint: slot. Indexes: retraction_pkey, all of pool_repair, which has few rows.
select
  exists (select from retraction where slot <= $1::bigint and not is_applied)
    or exists (select from pool_repair where next_slot <= $1::bigint) as is_left

-- name: as-of/list_applied
-- How far each lane of the ledger and the ranking has read of FEED, and the pool lanes' messages in it. `first_slot`: of a
-- commit that FEED may lack; null without one. `sequence`: up to which a lane has read, or that of the pool lane's newest
-- message. Reads the whole of checkpoint.
select
  actor,
  case when actor = 'pool' then feed_epoch else stream_epoch end as epoch,
  case when actor = 'pool' then feed_sequence else greatest(sequence, seen_sequence) end as sequence,
  (select min(slot) from unnest(first_slots) as slot) as first_slot
from checkpoint
where actor in ('pool', 'ledger', 'ranking')

-- name: as-of/read_newest_event_slot
-- The greatest slot of an indexed pool event; null before the first. Index: pool_event_order.
select max(slot) as newest_slot from pool_event
