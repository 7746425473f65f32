-- The top pool of a mint now, and its newest time; is_alone: no other pool of it has a price. $1 text: mint. Looked up
-- by itself, as in tokens/read_profile. Indexes: pool_pkey, pool_token, those of token_prices().
select
  pool.id, pool.newest_ms, pool.pair_address, $1::text as token_address,
  not exists (
    select
    from pool as rival
    where rival.token_id = priced.token_id and rival.id <> pool.id and rival.last_price is not null
  ) as is_alone
from token_prices(array(select id from token where address = $1)) as priced
cross join lateral (
  select id, newest_ms, pair_address from pool where id = priced.pool_id limit 1
) as pool
