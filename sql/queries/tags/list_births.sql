-- Mints that a wallet bought and perhaps traded from their first slots on: those whose first four hours were not long
-- over at its first trade. Result: token id, and Unix ms with which the four hours begin.
-- $1 integer: wallet id. Index: the primary key of position, pool_token, the primary key of candle_4h.
-- Five hours: a swap's time may exceed a little the four hours that its slot belongs to.
select position.token_id, min(birth.bucket_ms) as born_ms
from position
join pool on pool.token_id = position.token_id
cross join lateral (
  select bucket_ms from candle_4h where pool_id = pool.id order by bucket_ms limit 1
) as birth
where position.wallet_id = $1 and position.buy_count > 0
group by position.token_id, position.first_trade_ms
having position.first_trade_ms < min(birth.bucket_ms) + 18000000
