-- Deletes snapshots of recomputed positions, after the one that the recompute begins with.
-- $1 integer[] wallet_id, $2 integer[] token_id, $3 bigint[] swap_count (pairwise).
-- Index: the primary key of position_snapshot.
delete from position_snapshot
using unnest($1::integer[], $2::integer[], $3::bigint[]) as again (wallet_id, token_id, swap_count)
where position_snapshot.wallet_id = again.wallet_id
  and position_snapshot.token_id = again.token_id
  and position_snapshot.swap_count > again.swap_count
