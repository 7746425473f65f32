-- Progress of a lane. $1 text: actor, $2 integer: lane, $3 bigint: the epoch that must still be so.
select stream_epoch, sequence, commit_number
from checkpoint
where actor = $1 and lane = $2 and epoch = $3
