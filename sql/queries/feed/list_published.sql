-- The newest commit of each pool lane that publishes any event, and in how many messages of FEED; no row for a lane
-- without one. Index: the primary key of checkpoint.
select lane, announced_commit, announced_parts
from checkpoint
where actor = 'pool' and announced_commit > 0
