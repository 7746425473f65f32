-- Whether a change of liquidity lies between two positions of a pool, both included.
-- $1 integer[]: pool ids, $2 $3 $4: from (bigint[] slots, bigint[] block_tx_index, integer[] ix_index),
-- $5 $6 $7: to (pairwise). Result: is_disturbed, in the order of the request. Index: pool_event_pool.
select exists (
  select
  from pool_event
  where pool_event.pool_id = pair.pool_id
    and pool_event.event in ('liquidity_added', 'liquidity_removed')
    and (pool_event.slot, pool_event.block_tx_index, pool_event.ix_index)
      between (pair.from_slot, pair.from_tx, pair.from_ix) and (pair.to_slot, pair.to_tx, pair.to_ix)
) as is_disturbed
from unnest(
  $1::integer[], $2::bigint[], $3::bigint[], $4::integer[], $5::bigint[], $6::bigint[], $7::integer[]
) with ordinality
  as pair (pool_id, from_slot, from_tx, from_ix, to_slot, to_tx, to_ix, place)
order by pair.place
