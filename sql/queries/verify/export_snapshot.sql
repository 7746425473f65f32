-- The name under which another session sees what this transaction sees.
select pg_export_snapshot() as id
