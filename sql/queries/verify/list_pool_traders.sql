-- Minutes of all wallets in a pool. $1 integer: pool id. Index: pool_trader_pkey.
select stored.day, wallet.address as user_address, array_to_string(stored.minutes, ',') as minutes
from pool_trader as stored
join wallet on wallet.id = stored.wallet_id
where stored.pool_id = $1
