-- Queues recomputes of positions, from a slot on. Pairwise: $1 integer[] wallet_id, $2 integer[] token_id,
-- $3 bigint[] from_slot; $4 smallint: lane.
insert into position_refold (wallet_id, token_id, lane, from_slot)
select again.wallet_id, again.token_id, $4, again.from_slot
from unnest($1::integer[], $2::integer[], $3::bigint[]) as again (wallet_id, token_id, from_slot)
on conflict (wallet_id, token_id) do update set
  lane = excluded.lane, from_slot = least(position_refold.from_slot, excluded.from_slot)
