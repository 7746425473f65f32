-- Candles of the pools of tokens by the minute, from a time to before another, in order. $1 integer[]: token ids,
-- $2 $3 bigint: Unix ms. Indexes: pool_token, candle_1m_pkey.
select
  pool.token_id, pool.id as pool_id, pool.pair_address, pool.dex,
  (candle.bucket_ms / 60000)::integer as minute, candle.open, candle.high, candle.low, candle.close,
  candle.volume_lamports, candle.trade_count
from pool
join candle_1m as candle on candle.pool_id = pool.id
where pool.token_id = any ($1::integer[]) and candle.bucket_ms >= $2 and candle.bucket_ms < $3
order by pool.id, candle.bucket_ms
