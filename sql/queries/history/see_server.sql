-- Identity of the server, and the position up to which its log is flushed; null on a standby, which replays another
-- server's log. Result: one row.
select
  system.system_identifier::text as system_identifier,
  {+present_timeline} as timeline,
  case when not pg_is_in_recovery() then (pg_current_wal_flush_lsn() - '0/0')::bigint end as flushed
from pg_control_system() as system, pg_control_checkpoint() as control
