-- Pair accounts, those that were first seen last, first; each once, for any number of its mints, and in the position of
-- its first pool, so that later mints do not move it.
-- $1 integer: pool id to continue below, or null, $2 integer: rows.
-- Index: pool_pkey, pool_pair_address_token_id_key.
select id, pair_address
from pool
where id <= coalesce($1::integer - 1, 2147483647)
  and coalesce(
    dex,
    (
      select other.dex
      from pool as other
      where other.pair_address = pool.pair_address and other.dex is not null
      limit 1
    )
  ) is not null
  and not exists (
    select
    from pool as older
    where older.pair_address = pool.pair_address and older.id < pool.id
  )
order by id desc
limit $2
