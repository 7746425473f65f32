-- The least traders of a bucket, ascending. $1 boolean: an hour, $2 bigint: bucket, $3 integer: how many.
-- Index: market_trader_pkey.
select wallet from market_trader where is_hour = $1 and bucket_ms = $2 order by wallet limit $3
