-- Up to where a standby has applied its primary's log; null on a server that is none. Result: one row. Index: none.
select case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0')::bigint end as replayed
