-- Deletes snapshots up to a count of swaps. Pairwise: $1 integer[] wallet_id, $2 integer[] token_id,
-- $3 bigint[] swap_count. Index: the primary key of position_snapshot.
delete from position_snapshot
using unnest($1::integer[], $2::integer[], $3::bigint[]) as kept (wallet_id, token_id, swap_count)
where position_snapshot.wallet_id = kept.wallet_id
  and position_snapshot.token_id = kept.token_id
  and position_snapshot.swap_count <= kept.swap_count
