-- Records the sequence up to which a lane has read all messages that its stream has for it. $1 text: actor, $2 integer:
-- lane, $3 bigint: epoch,
-- $4 bigint: its newest commit's number; $5 text, $6 bigint: stream epoch and sequence. No update where the lane has
-- another owner, committed again, or never committed a message of that stream. Index: checkpoint_pkey.
update checkpoint
set seen_sequence = $6
where actor = $1 and lane = $2 and epoch = $3 and commit_number = $4 and stream_epoch = $5
