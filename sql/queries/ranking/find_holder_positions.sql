-- Some positions, those that there are, likewise (list_holder_positions.sql). Pairwise: $1 integer[] wallet ids,
-- $2 integer[] token ids. Index: position_pkey.
select position.token_id, position.wallet_id, position.balance, position.held_changes
from unnest($1::integer[], $2::integer[]) as wanted (wallet_id, token_id)
join position
  on position.wallet_id = wanted.wallet_id and position.token_id = wanted.token_id
