-- Positions of a lane that are to be folded again. $1 smallint: lane, $2 integer: how many.
-- Index: position_refold_lane.
select position_refold.wallet_id, position_refold.token_id, position_refold.from_slot, wallet.address
from position_refold
join wallet on wallet.id = position_refold.wallet_id
where position_refold.lane = $1
order by position_refold.wallet_id, position_refold.token_id
limit $2
