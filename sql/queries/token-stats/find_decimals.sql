-- Decimals of a token as the newest swaps of pools have them. Pairwise: $1 integer[] pool ids, $2 bigint[] slots
-- of their newest swaps; $3 $4 bigint: least and greatest of these, which leave out all other chunks.
-- Index: swap_pool.
select wanted.pool_id, newest.decimals
from unnest($1::integer[], $2::bigint[]) as wanted (pool_id, slot)
cross join lateral (
  select swap.quote_decimals as decimals
  from swap
  where swap.pool_id = wanted.pool_id
    and swap.slot = wanted.slot
    and swap.slot between $3::bigint and $4::bigint
  order by swap.block_tx_index desc, swap.ix_index desc, swap.dex desc
  limit 1
) as newest
