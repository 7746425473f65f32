-- Which server this is, and up to where its log is flushed; null on a standby, whose log is another's. Result: one row.
select
  system.system_identifier::text as system_identifier,
  control.timeline_id as timeline,
  case when not pg_is_in_recovery() then (pg_current_wal_flush_lsn() - '0/0')::bigint end as flushed
from pg_control_system() as system, pg_control_checkpoint() as control
