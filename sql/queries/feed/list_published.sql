-- The newest commit of each pool lane that announces anything, and in how many messages of FEED; none
-- where a lane never did. Index: the primary key of checkpoint.
select lane, announced_commit, announced_parts
from checkpoint
where actor = 'pool' and announced_commit > 0
