-- How much there is to read of tokens: minutes in which their pools traded from a time on, and wallets that bought in
-- them; at most so many. $1 integer[]: token ids, $2 bigint: Unix ms, where a candle of four hours begins. A pool of
-- few swaps is taken to have had them all since. Indexes: pool_token, candle_4h_pkey.
select
  pool.token_id,
  sum(case when pool.swap_count > 256 then recent.minute_count else pool.swap_count end)::bigint
    as minute_count,
  sum(case when pool.swap_count > 256 then recent.buyer_count else pool.swap_count end)::bigint
    as buyer_count
from pool
left join lateral (
  select
    coalesce(sum(least(candle.trade_count, 240)), 0) as minute_count,
    coalesce(sum(least(candle.trade_count, 240 * 1024)), 0) as buyer_count
  from candle_4h as candle
  where candle.pool_id = pool.id and candle.bucket_ms >= $2
) as recent on pool.swap_count > 256
where pool.token_id = any ($1::integer[])
group by pool.token_id
