-- Waits until nobody else makes the screen of this window; the session holds it. $1 integer: width in minutes.
select pg_advisory_lock(hashtextextended('screener', $1::integer))
