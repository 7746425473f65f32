-- Which database this is. Result: one row: its name, the server's system identifier, its timeline, and when a lane
-- committed last (null: never).
select
  current_database() as name,
  system.system_identifier::text as system_identifier,
  {+present_timeline} as timeline,
  (select max(committed_at) from checkpoint) as committed_at
from pg_control_system() as system, pg_control_checkpoint() as control
