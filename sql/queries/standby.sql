-- name: standby/read_log_end
-- The end of the primary's log: every commit that is visible now lies before it. Result: one row. Index: none.
select (pg_current_wal_insert_lsn() - '0/0')::bigint as log_end

-- name: standby/read_replayed
-- Up to where a standby has applied its primary's log; null on a server that is none. Result: one row. Index: none.
select case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0')::bigint end as replayed
