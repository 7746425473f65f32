-- The position up to which the server has flushed its log; null on a standby, which replays another server's log.
-- Result: one row.
select case when not pg_is_in_recovery() then (pg_current_wal_flush_lsn() - '0/0')::bigint end as flushed
