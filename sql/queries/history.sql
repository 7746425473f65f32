-- name: history/find_high
-- The last slot that swaps and pool events of a window of time may have; null without any.
-- $1 bigint, $2 bigint: first and last Unix ms. Index: slot_span_pkey, pool_event_time. A bucket is the
-- first slot of its run.
select
  greatest(
    (
      select max(bucket) + least(9999, 9007199254740991 - max(bucket))
      from slot_span
      where width = 10000 and last_ms >= $1 and first_ms <= $2
    ),
    (select max(slot) from pool_event where timestamp_ms between $1 and $2)
  ) as high_slot

-- name: history/find_next
-- The first slot after another that swaps and pool events of a window of time may have; null without any.
-- $1 bigint, $2 bigint: first and last Unix ms; $3 bigint: slot. Index: slot_span_pkey, pool_event_order. A bucket is
-- the first slot of its run.
select
  least(
    (
      select greatest(min(bucket), least($3::bigint + 1, 9007199254740991))
      from slot_span
      where width = 10000 and last_ms >= $1 and first_ms <= $2 and bucket > $3::bigint - 10000
    ),
    (select min(slot) from pool_event where timestamp_ms between $1 and $2 and slot > $3::bigint)
  ) as slot

-- name: history/list_pool_events
-- Pool events after a slot, whole slots. $1 bigint: slot, $2 bigint: last slot, $3 integer: rows;
-- $4 smallint[]: venues, null for all; $5 bigint, $6 bigint: first and last timestamp_ms.
-- Result: at least $3 if so many exist, and all of the last slot. Unordered: the caller sorts.
-- Index: pool_event_order.
select
  {+stored_pool_event_columns}
from (
  select *
  from pool_event
  where slot > $1 and slot <= $2
    and ($4::smallint[] is null or dex = any ($4))
    and timestamp_ms between $5 and $6
  order by slot
  fetch first $3 rows with ties
) pool_event
join pool on pool.id = pool_event.pool_id
join token on token.id = pool.token_id

-- name: history/read_flushed
-- The position up to which the server has flushed its log; null on a standby, which replays another server's log.
-- Result: one row.
select case when not pg_is_in_recovery() then (pg_current_wal_flush_lsn() - '0/0')::bigint end as flushed

-- name: history/see_server
-- Identity of the server, and the position up to which its log is flushed; null on a standby, which replays another
-- server's log. Result: one row.
select
  system.system_identifier::text as system_identifier,
  {+present_timeline} as timeline,
  case when not pg_is_in_recovery() then (pg_current_wal_flush_lsn() - '0/0')::bigint end as flushed
from pg_control_system() as system, pg_control_checkpoint() as control
