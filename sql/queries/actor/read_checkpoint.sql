-- Progress of a lane. $1 text: actor, $2 integer: lane, $3 bigint: the epoch that must still hold.
-- Result: one row, or none; of the newest commit its transaction, the runs of slots that it publishes, and the newest
-- message that the lane is known to have in FEED.
select
  stream_epoch, sequence, message_ms, seen_sequence, commit_number,
  transaction_id::text as transaction_id, first_slots, last_slots, feed_epoch, feed_sequence
from checkpoint
where actor = $1 and lane = $2 and epoch = $3
