-- How far every lane of an actor has read a stream. $1 text: actor, $2 text: stream epoch.
-- Result: the least sequence, null while a lane has read nothing of it.
select case when bool_and(stream_epoch is not distinct from $2) then min(sequence) end as sequence
from checkpoint
where actor = $1
