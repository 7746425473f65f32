-- How old the stored ranking of a period is. $1 text: period. No row: there is none.
-- Result: age_ms by the clock of this server, never below 0. Index: leaderboard_pkey.
select greatest(0, extract(epoch from clock_timestamp()) * 1000 - computed_ms)::double precision
  as age_ms
from leaderboard
where period = $1
