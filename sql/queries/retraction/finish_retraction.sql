-- A retraction is applied. $1 bigint: slot, $2 text: blockhash, $3 smallint: lane, $4 $5 integer: swaps and pool events, which
-- add to those that the lane took out before when it had other pools; $6 smallint: number of lanes. Index: the primary key.
insert into retraction as stored (
  slot, blockhash, lane, is_applied, swap_count, pool_event_count, lane_count
)
values ($1, $2, $3, true, $4, $5, $6)
on conflict (slot, blockhash, lane) do update set
  is_applied = true,
  swap_count = stored.swap_count + excluded.swap_count,
  pool_event_count = stored.pool_event_count + excluded.pool_event_count,
  lane_count = excluded.lane_count,
  retracted_at = excluded.retracted_at
