-- Stores the minutes of wallets in pools on days. Pairwise: $1 integer[] pool_id, $2 integer[] day, $3 integer[]
-- wallet_id, $4 text[]: all minutes of the day, as an array's text. Index: pool_trader_pkey.
insert into pool_trader (pool_id, day, wallet_id, minutes)
select added.pool_id, added.day, added.wallet_id, added.minutes::smallint[]
from unnest($1::integer[], $2::integer[], $3::integer[], $4::text[])
  as added (pool_id, day, wallet_id, minutes)
on conflict (pool_id, day, wallet_id) do update set minutes = excluded.minutes
