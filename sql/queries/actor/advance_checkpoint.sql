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
