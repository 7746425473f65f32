-- When a wallet traded, by the hours of its positions: runs of them with at most two days between two.
-- $1 integer: wallet id, $2 integer[]: token ids, null for all. Result: first and last Unix ms of each run,
-- the oldest first; no row for a wallet without a position. Index: the primary key of position_hour.
select min(hour_ms) as first_ms, max(hour_ms) + 3599999 as last_ms
from (
  select hour_ms, count(*) filter (where is_first) over (order by hour_ms) as run
  from (
    select hour_ms, hour_ms - lag(hour_ms) over (order by hour_ms) > 172800000 as is_first
    from (
      select distinct hour_ms
      from position_hour
      where wallet_id = $1 and ($2::integer[] is null or token_id = any ($2))
    ) traded
  ) gap
) numbered
group by run
order by run
