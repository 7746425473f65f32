-- The timeline of the server now, with pg_control_checkpoint() as control. The checkpoint that records a promotion is
-- written later, so a primary has it from the name of its present log file.
case
  when pg_is_in_recovery() then control.timeline_id
  else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer
end
