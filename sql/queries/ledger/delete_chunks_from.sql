-- Deletes chunks of lots that were sealed after the point where a recompute begins.
-- $1 integer[] wallet_id, $2 integer[] token_id, $3 integer[] chunk (pairwise).
-- Index: the primary key of lot_chunk.
delete from lot_chunk
using unnest($1::integer[], $2::integer[], $3::integer[]) as again (wallet_id, token_id, chunk)
where lot_chunk.wallet_id = again.wallet_id
  and lot_chunk.token_id = again.token_id
  and lot_chunk.chunk >= again.chunk
