-- name: actor/advance_checkpoint
-- Compare-and-set: advances a lane's checkpoint if the lane is still this owner's and at its last commit.
-- $1 text: actor, $2 integer: lane, $3 bigint: epoch, $4 bigint: commit number before,
-- $5 text: stream epoch, $6 bigint: new sequence; pairwise: $7 bigint[] first, $8 bigint[] last slot of the runs of
-- slots that the commit publishes, $9 integer: in how many messages; $10 text, $11 bigint: epoch and sequence of the
-- newest message that the lane has in FEED; $12 bigint: when the message at $6 was stored, Unix ms; $13 bigint: up to
-- where the stream held no unread message for the lane when it looked. Result: one row with up to where the server had
-- flushed its log, or none: the owner is fenced.
update checkpoint
set
  stream_epoch = $5,
  sequence = $6,
  message_ms = $12,
  seen_sequence = $13,
  commit_number = commit_number + 1,
  transaction_id = pg_current_xact_id(),
  first_slots = $7,
  last_slots = $8,
  published_commit = case when $9 > 0 then commit_number + 1 else published_commit end,
  published_parts = case when $9 > 0 then $9 else published_parts end,
  feed_epoch = $10,
  feed_sequence = $11,
  committed_at = clock_timestamp()
where actor = $1 and lane = $2 and epoch = $3 and commit_number = $4
returning commit_number, (pg_current_wal_flush_lsn() - '0/0')::bigint as flushed

-- name: actor/insert_dead_letters
-- Poison, with its reason. $1 text: actor, $2 integer: lane, $3 text: stream epoch; pairwise:
-- $4 bigint[] sequence, $5 integer[] part, $6 text[] subject, $7 text[] reason, $8 bytea[] payload.
insert into dead_letter (actor, lane, stream_epoch, sequence, part, subject, reason, payload)
select $1, $2, $3, letter.sequence, letter.part, letter.subject, letter.reason, letter.payload
from unnest($4::bigint[], $5::integer[], $6::text[], $7::text[], $8::bytea[])
  as letter (sequence, part, subject, reason, payload)
on conflict (actor, lane, stream_epoch, sequence, part) do nothing

-- name: actor/list_lane_sequences
-- How far each lane of an actor has read. $1 text: actor. Index: the primary key of checkpoint.
select lane, stream_epoch, sequence
from checkpoint
where actor = $1

-- name: actor/note_lost
-- Records messages that a stream has lost, once for each position.
-- $1 text[] actors, $2 smallint[] lanes, $3 text[] streams, $4 text[] epochs, $5 bigint[] sequences,
-- $6 bigint[] counts: a row each.
-- Index: lost_message_pkey.
insert into lost_message (actor, lane, stream, stream_epoch, sequence, message_count)
select * from unnest($1::text[], $2::smallint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[])
on conflict (actor, lane, stream_epoch, sequence) do nothing

-- name: actor/note_published
-- Records that FEED holds all messages of a lane's newest commit. $1 text: actor, $2 integer: lane, $3 bigint: epoch,
-- $4 bigint: that commit's number; $5 text, $6 bigint: epoch and sequence of the lane's newest message. No update where
-- the lane has another owner or committed again. Index: checkpoint_pkey.
update checkpoint
set first_slots = '{}', last_slots = '{}', feed_epoch = $5, feed_sequence = $6
where actor = $1 and lane = $2 and epoch = $3 and commit_number = $4

-- name: actor/note_seen
-- Records the sequence up to which a lane has read all messages that its stream has for it. $1 text: actor, $2 integer:
-- lane, $3 bigint: epoch,
-- $4 bigint: its newest commit's number; $5 text, $6 bigint: stream epoch and sequence. No update where the lane has
-- another owner, committed again, or never committed a message of that stream. Index: checkpoint_pkey.
update checkpoint
set seen_sequence = $6
where actor = $1 and lane = $2 and epoch = $3 and commit_number = $4 and stream_epoch = $5

-- name: actor/read_checkpoint
-- Progress of a lane. $1 text: actor, $2 integer: lane, $3 bigint: the epoch that must still hold.
-- Result: one row, or none; of the newest commit its transaction, the runs of slots that it publishes, and the newest
-- message that the lane is known to have in FEED.
select
  stream_epoch, sequence, message_ms, seen_sequence, commit_number,
  transaction_id::text as transaction_id, first_slots, last_slots, feed_epoch, feed_sequence
from checkpoint
where actor = $1 and lane = $2 and epoch = $3
