-- The newest snapshot of each position that lies before a slot.
-- $1 integer[] wallet_id, $2 integer[] token_id, $3 bigint[] slot (pairwise).
-- Index: the primary key of position_snapshot.
select snapshot.wallet_id, snapshot.token_id, snapshot.swap_count, snapshot.state
from unnest($1::integer[], $2::integer[], $3::bigint[]) as wanted (wallet_id, token_id, slot)
cross join lateral (
  select wallet_id, token_id, swap_count, state
  from position_snapshot
  where wallet_id = wanted.wallet_id and token_id = wanted.token_id and slot < wanted.slot
  order by swap_count desc
  limit 1
) as snapshot
