-- The slot of a wallet's first buy of each mint that it bought, and that of the mint's first indexed swap
-- (null where no candle tells it).
-- $1 integer: wallet id. Index: swap_wallet, pool_token, the primary keys of candle_4h and candle_1m.
-- A pool's first four hours are one probe; the minutes in them say in which slots their swaps stand.
with bought as (
  select pool.token_id, min(swap.slot) as buy_slot
  from swap
  join pool on pool.id = swap.pool_id
  where swap.wallet_id = $1 and swap.is_buy
  group by pool.token_id
)
select bought.token_id, bought.buy_slot, min(minute.first_slot) as mint_slot
from bought
join pool on pool.token_id = bought.token_id
left join lateral (
  select bucket_ms from candle_4h where pool_id = pool.id order by bucket_ms limit 1
) as birth on true
left join lateral (
  select min(first_slot) as first_slot
  from candle_1m
  where pool_id = pool.id
    and bucket_ms >= birth.bucket_ms
    and bucket_ms < birth.bucket_ms + 14400000
) as minute on true
group by bought.token_id, bought.buy_slot
