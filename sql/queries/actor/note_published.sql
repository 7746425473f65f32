-- Records that FEED holds all messages of a lane's newest commit. $1 text: actor, $2 integer: lane, $3 bigint: epoch,
-- $4 bigint: that commit's number; $5 text, $6 bigint: epoch and sequence of the lane's newest message. No update where
-- the lane has another owner or committed again. Index: checkpoint_pkey.
update checkpoint
set first_slots = '{}', last_slots = '{}', feed_epoch = $5, feed_sequence = $6
where actor = $1 and lane = $2 and epoch = $3 and commit_number = $4
