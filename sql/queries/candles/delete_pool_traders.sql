-- Minutes of all wallets in a pool. $1 integer: pool id. Index: pool_trader_pkey.
delete from pool_trader where pool_id = $1
