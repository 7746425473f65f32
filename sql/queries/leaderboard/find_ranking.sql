-- Age of the stored ranking of a period. $1 text: period. No row: none is stored, or the clock was set back to before
-- it, and the age is unknown. Result: age_ms by the clock of this server. Index: leaderboard_pkey.
select (extract(epoch from clock_timestamp()) * 1000 - computed_ms)::double precision as age_ms
from leaderboard
where period = $1 and computed_ms <= extract(epoch from clock_timestamp()) * 1000
