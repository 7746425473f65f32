-- Pools without a swap have no venue. $1 integer[]: pool ids. Index: pool_pkey.
update pool set dex = null where id = any ($1::integer[]) and swap_count = 0 and dex is not null
