-- Waits until nobody else makes the ranking of a period; the session holds it from then on.
-- $1 text: period.
select pg_advisory_lock(hashtextextended('leaderboard ' || $1::text, 0))
