-- Pair accounts of a venue, otherwise as list_pairs: a plan for both would use the index of one. $1 smallint: venue, $2
-- bigint, $3 text: slot and account below which the list continues, or null, $4 integer: rows.
-- Index: pool_dex_first_slot backwards, whose ties are sorted; pool_pair_address_token_id_key.
select first_slot, pair_address
from pool
where dex = $1
  and first_slot <= coalesce($2::bigint, 9223372036854775807)
  and ($2::bigint is null or (first_slot, pair_address) < ($2::bigint, $3::text))
  and not exists (
    select
    from pool as older
    where older.pair_address = pool.pair_address and (older.first_slot, older.id) < (pool.first_slot, pool.id)
      and older.dex = $1
  )
order by first_slot desc, pair_address desc
limit $4
