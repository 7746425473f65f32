-- Takes a lock of this session, or does not wait for it. $1 integer: its class, $2 integer: its number. Result: is_taken.
select pg_try_advisory_lock($1, $2) as is_taken
