-- Word that a pool's candles are others, where rankings may hold its token or come to. $1 integer: pool; $2 bigint: its
-- newest swap by what was rebuilt, or null; by what was stored before, its row tells. Index: pool_pkey.
insert into token_change (token_id, of_candles)
select token_id, true
from pool
where id = $1 and greatest(newest_ms, $2) >= newest_swap_ms() - 172800000
