-- Closed days of a wallet. A day that is stored already is not changed.
-- $1 integer: wallet id, $2 bigint[], $3 double precision[]: day_ms, value_sol (pairwise).
insert into chart_day (wallet_id, day_ms, value_sol)
select $1, closed.day_ms, closed.value_sol
from unnest($2::bigint[], $3::double precision[]) as closed (day_ms, value_sol)
on conflict (wallet_id, day_ms) do nothing
