-- Identity of the server, and the position up to which its log is flushed; null on a standby, which replays another
-- server's log. Result: one row.
select
  system.system_identifier::text as system_identifier,
  case
    when pg_is_in_recovery() then control.timeline_id
    -- The checkpoint that records a promotion is written later.
    else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer
  end as timeline,
  case when not pg_is_in_recovery() then (pg_current_wal_flush_lsn() - '0/0')::bigint end as flushed
from pg_control_system() as system, pg_control_checkpoint() as control
