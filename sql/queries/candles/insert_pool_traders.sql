-- Minutes of all wallets in a pool, from its swaps. $1 integer: pool id. Index: swap_pool.
insert into pool_trader (pool_id, day, wallet_id, minutes)
select
  $1, (timestamp_ms / 86400000)::integer as day, wallet_id,
  array_agg(
    distinct (timestamp_ms % 86400000 / 60000)::smallint
    order by (timestamp_ms % 86400000 / 60000)::smallint
  )
from swap
where pool_id = $1
group by 2, wallet_id
