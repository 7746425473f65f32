-- Deletes snapshots that a late swap made wrong: those at or after its slot.
-- $1 integer[] wallet_id, $2 integer[] token_id, $3 bigint[] slot (pairwise).
-- Index: the primary key of position_snapshot.
delete from position_snapshot
using unnest($1::integer[], $2::integer[], $3::bigint[]) as late (wallet_id, token_id, slot)
where position_snapshot.wallet_id = late.wallet_id
  and position_snapshot.token_id = late.token_id
  and position_snapshot.slot >= late.slot
