-- Deletes hours of recomputed positions, from a segment on.
-- $1 integer[] wallet_id, $2 integer[] token_id, $3 integer[] segment (pairwise).
-- Index: the primary key of position_hour.
delete from position_hour
using unnest($1::integer[], $2::integer[], $3::integer[]) as again (wallet_id, token_id, segment)
where position_hour.wallet_id = again.wallet_id
  and position_hour.token_id = again.token_id
  and position_hour.segment >= again.segment
