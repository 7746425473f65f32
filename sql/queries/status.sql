-- name: status/count_retractions
-- Retractions that a pool lane has read and not applied, and rejected events that are to be accepted because of one.
-- Reads two indexes, of which one has an entry for each retraction.
select
  (select count(*) from retraction where not is_applied)
    + (select count(*) from event_conflict where readmit_lane is not null) as left_over

-- name: status/count_rows
-- Swaps as the pools have counted them, dead letters of SWAP that were not sent again, conflicts that are listed.
-- Positions that wait for a recompute, lanes under audit. Messages that streams have lost, as lanes found in the last
-- seven days.
-- Result: swaps, dead_letters, conflicts, recomputes, audits, lost_messages, all bigint. Reads the whole of pool,
-- dead_letter and event_conflict.
select
  (select coalesce(sum(swap_count), 0)::bigint from pool) as swaps,
  (select count(*) from dead_letter where retried_at is null and actor = 'pool') as dead_letters,
  (select count(*) from event_conflict) as conflicts,
  (select count(*) from position_refold) as recomputes,
  (select count(*) from ledger_audit) as audits,
  (
    select coalesce(sum(message_count), 0)::bigint
    from lost_message
    where found_at > now() - interval '7 days'
  ) as lost_messages

-- name: status/find_highest_slot
-- The highest slot that any pool has seen.
-- Result: slot bigint (null: no swaps yet). Reads the whole of pool.
select max(last_slot) as slot from pool

-- name: status/list_checkpoints
-- How far each actor has read in each lane, and the lane's present owner.
-- Result: actor text, lane smallint, owner text (null: none), stream_epoch text, sequence bigint, committed_at
-- timestamptz, age_ms double precision (both null before the first commit).
-- Reads the whole of a small table.
select
  actor,
  lane,
  case when leased_until > now() then owner end as owner,
  stream_epoch,
  sequence,
  committed_at,
  extract(epoch from clock_timestamp() - committed_at)::double precision * 1000 as age_ms
from checkpoint
order by actor, lane

-- name: status/list_epochs
-- The epoch of the stream that each lane has read. Result: actor text, lane smallint, stream_epoch text; no row for a
-- lane that has not committed yet. Reads the whole of a small table.
select actor, lane, stream_epoch
from checkpoint
where stream_epoch is not null

-- name: status/list_published
-- The newest commit of each pool lane that publishes any event, in how many messages, and where they begin: after a
-- message of FEED, by its epoch and sequence (null and 0: none). `is_noted`: the lane has recorded that FEED holds all.
-- Index: the primary key of checkpoint.
select
  lane, published_commit, published_parts, feed_epoch, feed_sequence,
  cardinality(first_slots) = 0 as is_noted
from checkpoint
where actor = 'pool' and published_commit > 0
order by lane

-- name: status/list_recomputed
-- Background work of lanes on messages that they have read: positions to recompute, pools to repair, wallet lanes to
-- audit, a recount of the ranking. Result: the name of each. Reads the whole of small tables.
select 'position ' || wallet_id || ' ' || token_id as name from position_refold
union all
select 'pool ' || pool_id from pool_repair
union all
select 'wallet lane ' || lane from ledger_audit
union all
select 'ranking' from ranking_recount

-- name: status/read_refreshed
-- Up to where FEED is in the rankings that are served, and when they changed (Unix ms); null before the first refresh by
-- these formulas. `has_swaps`: whether there is anything to rank. $1 integer: their version. Reads one row, and the
-- index of pools.
select
  (select feed_sequence from ranking_roll where formula_version = $1) as feed_sequence,
  (select rolled_ms from ranking_roll where formula_version = $1) as refreshed_ms,
  newest_swap_ms() is not null as has_swaps
