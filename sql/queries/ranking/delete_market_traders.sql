-- Deletes buckets of the market before an hour. $1 bigint: Unix ms. Index: market_trader_pkey.
delete from market_trader where is_hour in (false, true) and bucket_ms < $1
