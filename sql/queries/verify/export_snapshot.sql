-- Exports this transaction's snapshot: the name by which another session can use it.
select pg_export_snapshot() as id
