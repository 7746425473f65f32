-- Renews a lane's lease for its owner; waits for a commit of the lane in progress. $1 text: worker id,
-- $2 integer: lease in milliseconds, $3 text: actor, $4 integer: lane. No row where it has another owner.
update checkpoint
set leased_until = clock_timestamp() + $2::integer * interval '1 millisecond'
where owner = $1 and actor = $3 and lane = $4
