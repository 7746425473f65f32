-- Pair accounts by their first swaps, the newest first, ties by account, the greatest first; each once, for any number of
-- its mints, in the position of its earliest pool, so that later mints do not move it.
-- $1 bigint, $2 text: slot of the first swap and account below which the list continues, or null, $3 integer: rows.
-- Index: pool_first_slot backwards, whose ties are sorted; pool_pair_address_token_id_key.
select first_slot, pair_address
from pool
where first_slot <= coalesce($1::bigint, 9223372036854775807)
  and ($1::bigint is null or (first_slot, pair_address) < ($1::bigint, $2::text))
  and dex is not null
  and not exists (
    select
    from pool as older
    where older.pair_address = pool.pair_address and (older.first_slot, older.id) < (pool.first_slot, pool.id)
  )
order by first_slot desc, pair_address desc
limit $3
