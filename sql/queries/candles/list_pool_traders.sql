-- Stored minutes of wallets in pools on days. Pairwise: $1 integer[] pool_id, $2 integer[] day, $3 integer[] wallet_id.
-- `place`: the ordinal of the row, from 1 on; `minutes`: comma-separated. Index: pool_trader_pkey.
select wanted.place::integer as place, array_to_string(stored.minutes, ',') as minutes
from unnest($1::integer[], $2::integer[], $3::integer[]) with ordinality
  as wanted (pool_id, day, wallet_id, place)
join pool_trader as stored on stored.pool_id = wanted.pool_id and stored.day = wanted.day
  and stored.wallet_id = wanted.wallet_id
