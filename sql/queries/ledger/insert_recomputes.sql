-- Queues recomputes of positions, from a slot on. Pairwise: $1 integer[] wallet_id, $2 integer[] token_id,
-- $3 bigint[] from_slot, $5 bigint[] retracted_ms or null; $4 smallint: lane. A position may be given twice.
insert into position_refold (wallet_id, token_id, lane, from_slot, retracted_ms)
select again.wallet_id, again.token_id, $4, min(again.from_slot), min(again.retracted_ms)
from unnest($1::integer[], $2::integer[], $3::bigint[], $5::bigint[])
  as again (wallet_id, token_id, from_slot, retracted_ms)
group by again.wallet_id, again.token_id
on conflict (wallet_id, token_id) do update set
  lane = excluded.lane,
  from_slot = least(position_refold.from_slot, excluded.from_slot),
  retracted_ms = least(position_refold.retracted_ms, excluded.retracted_ms)
