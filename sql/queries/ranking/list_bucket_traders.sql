-- Wallets that traded tokens in buckets, by the stored swaps. Pairwise: $1 integer[] token_id, $2 bigint[] bucket_ms;
-- $3 integer: width of the buckets, ms. Result: ordinal of the bucket from 1. Indexes: pool_token, candle_1m_pkey,
-- swap_pool.
select distinct wanted.ordinal::integer as ordinal, swap.is_buy, swap.wallet_id
from unnest($1::integer[], $2::bigint[]) with ordinality as wanted (token_id, bucket_ms, ordinal)
join pool on pool.token_id = wanted.token_id
join candle_1m as minute on minute.pool_id = pool.id
  and minute.bucket_ms >= wanted.bucket_ms and minute.bucket_ms < wanted.bucket_ms + $3::integer
join swap on swap.pool_id = pool.id
  and swap.slot >= minute.first_slot and swap.slot <= minute.last_slot
  and swap.timestamp_ms >= minute.bucket_ms and swap.timestamp_ms < minute.bucket_ms + 60000
