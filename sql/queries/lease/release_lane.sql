-- Gives a lane back. $1 text: worker id, $2 text: actor, $3 integer: lane, $4 bigint: epoch.
update checkpoint
set owner = null, leased_until = '-infinity'
where owner = $1 and actor = $2 and lane = $3 and epoch = $4
