-- Releases a lock of this session. $1 integer: its class, $2 integer: its number.
select pg_advisory_unlock($1, $2)
