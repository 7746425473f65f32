-- The newest commit of each pool lane that publishes any event, in how many messages, and where they begin: after a
-- message of FEED, by its epoch and sequence (null and 0: none). `is_noted`: the lane has recorded that FEED holds all.
-- Index: the primary key of checkpoint.
select
  lane, published_commit, published_parts, feed_epoch, feed_sequence,
  cardinality(first_slots) = 0 as is_noted
from checkpoint
where actor = 'pool' and published_commit > 0
order by lane
