-- Waits until nobody else makes rankings; the session holds it from then on.
select pg_advisory_lock(hashtextextended('leaderboard', 0))
