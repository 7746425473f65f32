-- Which database this is. Result: one row: its name, the server's system identifier, its timeline, and when a lane
-- committed last (null: never).
select
  current_database() as name,
  system.system_identifier::text as system_identifier,
  case
    when pg_is_in_recovery() then control.timeline_id
    -- The checkpoint that records a promotion is written later.
    else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer
  end as timeline,
  (select max(committed_at) from checkpoint) as committed_at
from pg_control_system() as system, pg_control_checkpoint() as control
