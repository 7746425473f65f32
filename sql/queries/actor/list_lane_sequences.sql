-- How far each lane of an actor has read. $1 text: actor. Index: the primary key of checkpoint.
select lane, stream_epoch, sequence
from checkpoint
where actor = $1
