-- A retraction is applied. $1 bigint: slot, $2 text: blockhash, $3 smallint: lane, $4 $5 integer: swaps and pool events.
-- Index: the primary key.
update retraction
set is_applied = true, swap_count = $4, pool_event_count = $5, retracted_at = now()
where slot = $1 and blockhash = $2 and lane = $3
