-- Mints' first slots among some slots, and the wallet's first buy within a few slots of each; mints without
-- such a buy have no row.
-- $1 integer: wallet id, $2 integer[]: token ids, $3 bigint, $4 bigint: first and last slot to read, $5 bigint: slots
-- after the first. Index: pool_token, swap_pool.
select wanted.token_id, birth.slot as mint_slot, own.slot as buy_slot
from unnest($2::integer[]) as wanted (token_id)
cross join lateral (
  select min(first.slot) as slot
  from pool
  cross join lateral (
    select slot
    from swap
    where pool_id = pool.id and slot between $3 and $4
    order by slot, block_tx_index, ix_index, dex
    limit 1
  ) as first
  where pool.token_id = wanted.token_id
) as birth
cross join lateral (
  select min(swap.slot) as slot
  from pool
  join swap on swap.pool_id = pool.id
  where pool.token_id = wanted.token_id
    and swap.wallet_id = $1
    and swap.is_buy
    and swap.slot between birth.slot and birth.slot + $5
    and swap.slot between $3 and $4 + $5
) as own
where own.slot is not null
