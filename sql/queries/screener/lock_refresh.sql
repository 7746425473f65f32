-- Waits until no other session makes the screen of this window; the session holds the lock. $1 integer: width in
-- minutes.
select pg_advisory_lock(hashtextextended('screener', $1::integer))
