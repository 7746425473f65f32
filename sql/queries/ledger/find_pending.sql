-- Positions among these that wait for a recompute. $1 integer[] wallet_id, $2 integer[] token_id (pairwise).
-- Index: the primary key of position_refold.
select position_refold.wallet_id, position_refold.token_id
from unnest($1::integer[], $2::integer[]) as wanted (wallet_id, token_id)
join position_refold on position_refold.wallet_id = wanted.wallet_id
  and position_refold.token_id = wanted.token_id
