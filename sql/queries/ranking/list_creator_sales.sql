-- Sales of wallets by token and minute. Pairwise: $1 integer[] token ids, $2 integer[] wallet ids,
-- $3 bigint[] minutes, the first Unix ms of each; $4 $5 bigint: the least and the greatest of these. Indexes: pool_token, candle_1m_pkey, swap_wallet.
select
  wanted.token_id, (wanted.bucket_ms / 60000)::integer as minute, sum(swap.sol_amount) as lamports
from unnest($1::integer[], $2::integer[], $3::bigint[]) as wanted (token_id, wallet_id, bucket_ms)
join pool on pool.token_id = wanted.token_id
join candle_1m as candle
  on candle.pool_id = pool.id
  and candle.bucket_ms = wanted.bucket_ms
  and candle.bucket_ms between $4 and $5
join swap
  on swap.wallet_id = wanted.wallet_id
  and swap.slot between candle.first_slot and candle.last_slot
  and swap.pool_id = pool.id
  and not swap.is_buy
  and swap.timestamp_ms between wanted.bucket_ms and wanted.bucket_ms + 59999
group by wanted.token_id, wanted.bucket_ms
