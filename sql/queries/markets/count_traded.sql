-- Pools and tokens with a trade in two windows. $1 $2 bigint: their first minutes, the wider one's first.
-- Every pool is looked at, its candles are not: a kept answer pays for it. Index: pool_pkey.
select
  count(*) filter (where newest_ms >= $2) as pools_late,
  count(*) as pools_all,
  count(distinct token_id) filter (where newest_ms >= $2) as tokens_late,
  count(distinct token_id) as tokens_all
from pool
where newest_ms >= $1
