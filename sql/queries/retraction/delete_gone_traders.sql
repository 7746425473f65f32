-- Wallets without a minute left in a pool on a day. Pairwise: $1 integer[] pool_id, $2 integer[] day, $3 integer[]
-- wallet_id. Index: pool_trader_pkey.
delete from pool_trader as stored
using unnest($1::integer[], $2::integer[], $3::integer[]) as gone (pool_id, day, wallet_id)
where stored.pool_id = gone.pool_id and stored.day = gone.day
  and stored.wallet_id = gone.wallet_id
