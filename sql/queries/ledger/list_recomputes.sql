-- Positions of a lane that wait for a recompute, by wallet and token. $1 smallint: lane, $2 integer: how many;
-- $3 $4 integer: wallet and token after which the list continues, 0 at its beginning.
-- Index: position_refold_lane.
select position_refold.wallet_id, position_refold.token_id, position_refold.from_slot, wallet.address
from position_refold
join wallet on wallet.id = position_refold.wallet_id
where position_refold.lane = $1
  and (position_refold.wallet_id, position_refold.token_id) > ($3::integer, $4::integer)
order by position_refold.wallet_id, position_refold.token_id
limit $2
