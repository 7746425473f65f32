-- Pair accounts of a venue, otherwise as list_pairs: a plan for both would use the index of one. $1 smallint: venue, $2
-- integer: pool id to continue below, or null, $3 integer: rows.
-- Index: pool_dex, pool_pair_address_token_id_key.
select id, pair_address
from pool
where dex = $1
  and id <= coalesce($2::integer - 1, 2147483647)
  and not exists (
    select
    from pool as older
    where older.pair_address = pool.pair_address and older.id < pool.id and older.dex = $1
  )
order by id desc
limit $3
