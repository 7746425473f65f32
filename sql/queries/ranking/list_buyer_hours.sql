-- Buyers of tokens by the hour, from a time to before another, in order. $1 integer[]: token ids, $2 $3 bigint: Unix ms.
-- Index: trader_hour_pkey.
select token_id, (bucket_ms / 3600000)::integer as at, buyers, buyers_below
from trader_hour
where token_id = any ($1::integer[]) and bucket_ms >= $2 and bucket_ms < $3
order by token_id, bucket_ms
