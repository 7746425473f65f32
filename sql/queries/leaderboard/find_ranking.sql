-- How old the stored ranking of a period is. $1 text: period. No row: there is none, or the clock was set
-- back behind it, and nobody can say. Result: age_ms by the clock of this server. Index: leaderboard_pkey.
select (extract(epoch from clock_timestamp()) * 1000 - computed_ms)::double precision as age_ms
from leaderboard
where period = $1 and computed_ms <= extract(epoch from clock_timestamp()) * 1000
