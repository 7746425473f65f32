-- Notifies rankings that a pool's candles changed, where they may hold its token or come to. $1 integer: pool; $2
-- bigint: its newest swap by the rebuilt candles, or null; its row has the one stored before. Index: pool_pkey.
insert into token_change (token_id, of_candles)
select token_id, true
from pool
where id = $1 and greatest(newest_ms, $2) >= newest_swap_ms() - 172800000
