-- Stored days of a wallet, ascending.
-- $1 integer: wallet id, $2 bigint, $3 bigint: first and last day, Unix ms of their beginnings.
-- Index: the primary key of chart_day.
select day_ms, value_sol
from chart_day
where wallet_id = $1 and day_ms between $2 and $3
order by day_ms
