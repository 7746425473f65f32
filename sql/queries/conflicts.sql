-- name: conflicts/list_conflicts
-- Conflicts, newest first. $1 integer: how many; $2 text: only of this kind (null: of all);
-- $3 bigint: only ids below it (null: from the newest). Index: event_conflict_pkey, backwards.
select
  id, kind, event, signature, pair_address, wallet, stored_slot, kept_out_slot, stored, kept_out, seen_at
from event_conflict
where ($2::text is null or kind = $2) and ($3::bigint is null or id < $3)
order by id desc
limit $1
