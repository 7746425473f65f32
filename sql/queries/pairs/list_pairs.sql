-- Pair accounts, those that were first seen last, first; each once, however many mints were told of it, and where
-- it was first seen, so that what is told of it later moves it nowhere.
-- $1 integer: pool id to go on below, or null, $2 integer: rows.
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
