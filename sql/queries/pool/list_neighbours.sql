-- The stored swaps around positions in pools: all at the position, and the next ones below and above it (all at an
-- equal position).
-- $1 integer[]: pool ids, $2 bigint[]: slots, $3 bigint[]: block_tx_index, $4 integer[]: ix_index
-- (pairwise). Result: side (below, same, above) and the swap. Index: swap_pool.
select
  near.side,
  {+stored_swap_columns}
from unnest($1::integer[], $2::bigint[], $3::bigint[], $4::integer[])
  as probe (pool_id, slot, block_tx_index, ix_index)
cross join lateral (
  (
    select 'below' as side, below.*
    from swap as below
    where below.pool_id = probe.pool_id
      and (below.slot, below.block_tx_index, below.ix_index)
        < (probe.slot, probe.block_tx_index, probe.ix_index)
    order by below.slot desc, below.block_tx_index desc, below.ix_index desc
    fetch first 1 row with ties
  )
  union all
  (
    select 'same', same.*
    from swap as same
    where same.pool_id = probe.pool_id
      and same.slot = probe.slot
      and same.block_tx_index = probe.block_tx_index
      and same.ix_index = probe.ix_index
  )
  union all
  (
    select 'above', above.*
    from swap as above
    where above.pool_id = probe.pool_id
      and (above.slot, above.block_tx_index, above.ix_index)
        > (probe.slot, probe.block_tx_index, probe.ix_index)
    order by above.slot, above.block_tx_index, above.ix_index
    fetch first 1 row with ties
  )
) as near
join lateral (select near.*) as swap on true
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
join wallet on wallet.id = swap.wallet_id
