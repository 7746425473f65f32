-- Pair accounts, those that were first seen last, first; each once, however many mints were told of it.
-- $1 smallint: venue or null, $2 integer: pool id to go on below, or null, $3 integer: rows.
-- Index: pool_pkey or pool_dex, pool_pair_address_token_id_key.
select id, pair_address
from pool
where dex is not null
  and ($1::smallint is null or dex = $1)
  and ($2::integer is null or id < $2)
  and not exists (
    select
    from pool as newer
    where newer.pair_address = pool.pair_address
      and newer.id > pool.id
      and ($1::smallint is null or newer.dex = $1)
      and newer.dex is not null
  )
order by id desc
limit $3
