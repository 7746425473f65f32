-- Pair accounts, those that were first seen last, first; each once, however many mints were told of it.
-- $1 integer: pool id to go on below, or null, $2 integer: rows.
-- Index: pool_pkey, pool_pair_address_token_id_key.
select id, pair_address
from pool
where dex is not null
  and id <= coalesce($1::integer - 1, 2147483647)
  and not exists (
    select
    from pool as newer
    where newer.pair_address = pool.pair_address and newer.id > pool.id and newer.dex is not null
  )
order by id desc
limit $2
