-- Waits until no other session makes rankings; the session holds the lock from then on.
select pg_advisory_lock(hashtextextended('leaderboard', 0))
