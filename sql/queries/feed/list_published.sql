-- The newest commit of each pool lane that publishes any event, and in how many messages of FEED; no row for a lane
-- without one. Index: the primary key of checkpoint.
select lane, published_commit, published_parts
from checkpoint
where actor = 'pool' and published_commit > 0
