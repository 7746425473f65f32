-- The end of the primary's log: every commit that is visible now lies before it. Result: one row. Index: none.
select (pg_current_wal_insert_lsn() - '0/0')::bigint as log_end
