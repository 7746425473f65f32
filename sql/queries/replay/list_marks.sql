-- How far each pool lane has read SWAP and has committed. Index: the primary key of checkpoint.
select lane, stream_epoch, sequence, commit_number
from checkpoint
where actor = 'pool'
