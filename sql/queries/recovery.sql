-- name: recovery/delete_coverage
-- Deletes all runs of slots, to be replaced by those of a backup in the same transaction.
delete from coverage

-- name: recovery/delete_uncovered_blocks
-- Deletes the blocks of slots that no run of their key covers any more. Index: coverage_pkey.
delete from coverage_block as block
where not exists (
  select from coverage as run
  where run.venues = block.venues and run.decoder_version = block.decoder_version
    and run.source = block.source and run.commitment = block.commitment
    and block.slot between run.from_slot and run.to_slot
)

-- name: recovery/forget_published
-- Resets what pool lanes have in FEED, and have to publish there: FEED was recreated. Index: checkpoint_pkey.
update checkpoint
set first_slots = '{}', last_slots = '{}', feed_epoch = null, feed_sequence = 0
where actor = 'pool'

-- name: recovery/insert_coverage
-- Stores the runs of slots of a backup in an empty table. $1 jsonb: an array of objects with the names of the columns.
insert into coverage (venues, decoder_version, source, commitment, from_slot, to_slot, swaps)
select venues, decoder_version, source, commitment, from_slot, to_slot, swaps
from jsonb_to_recordset($1::jsonb) as run (
  venues integer, decoder_version smallint, source text, commitment text,
  from_slot bigint, to_slot bigint, swaps bigint
)

-- name: recovery/list_pool_lanes
-- Progress of each pool lane. Result: a row for each lane that was ever owned: its newest commit's number, epoch and
-- sequence of SWAP up to which it has read, sequence up to which SWAP held no unread message for it, when the message
-- at `sequence` was stored (Unix ms, or null), and when it committed (null before its first commit). Index:
-- checkpoint_pkey.
select lane, commit_number, stream_epoch, sequence, seen_sequence, message_ms, committed_at
from checkpoint
where actor = 'pool'
order by lane

-- name: recovery/lock_pool_lanes
-- Blocks commits of every pool lane until this transaction ends. Result: a row for each lane.
-- Index: checkpoint_pkey.
select lane from checkpoint where actor = 'pool' order by lane for update

-- name: recovery/read_database
-- The identity of this database. Result: one row: its name, the server's system identifier, its timeline, and when a lane
-- committed last (null: never).
select
  current_database() as name,
  system.system_identifier::text as system_identifier,
  {+present_timeline} as timeline,
  (select max(committed_at) from checkpoint) as committed_at
from pg_control_system() as system, pg_control_checkpoint() as control
