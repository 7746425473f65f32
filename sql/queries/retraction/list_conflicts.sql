-- Conflicts in which a version of a slot takes part. $1 bigint: slot. Indexes: event_conflict_stored_slot,
-- event_conflict_kept_out_slot.
select id, pair_address, stored, kept_out
from event_conflict
where stored_slot = $1 or kept_out_slot = $1
