-- Stored swaps of positions from a slot on, whole slots, each position's in the order of slots.
-- $1 integer[] wallet_id, $2 integer[] token_id, $3 bigint[] first slot (pairwise), $4 integer: about how
-- many of each. Result: ordinal of the position from 1, and the fields that the ledger folds.
-- Index: swap_wallet, or swap_pool where the wallet has more swaps from the slot on than the token has in all: of a bot
-- with thousands of tokens each position would scan all of its swaps. The + 0 leave one index to each.
select
  wanted.ordinal, swap.slot, swap.block_tx_index, swap.ix_index, swap.dex, swap.is_buy,
  swap.signature, pool.pair_address, swap.sol_amount, swap.token_amount, swap.timestamp_ms,
  swap.quote_decimals, swap.transfer_fee_in, swap.transfer_fee_out
from unnest($1::integer[], $2::integer[], $3::bigint[])
  with ordinality as wanted (wallet_id, token_id, first_slot, ordinal)
cross join lateral (
  select array_agg(id) as pool_ids, sum(swap_count)::bigint as swap_count
  from pool
  where token_id = wanted.token_id
) as traded
cross join lateral (
  select count(*) as swap_count
  from (
    select
    from swap
    where swap.wallet_id = wanted.wallet_id and swap.slot >= wanted.first_slot
    limit traded.swap_count + 1
  ) as seen
) as own
cross join lateral (
  (
    select *
    from swap
    where own.swap_count <= traded.swap_count
      and wallet_id = wanted.wallet_id
      and slot >= wanted.first_slot
      and pool_id + 0 = any (traded.pool_ids)
    order by slot
    fetch first $4 rows with ties
  )
  union all
  (
    select of_pool.*
    from unnest(traded.pool_ids) as traded_pool (id)
    cross join lateral (
      select *
      from swap
      where pool_id = traded_pool.id
        and slot >= wanted.first_slot
        and wallet_id + 0 = wanted.wallet_id
      order by slot
      fetch first $4 rows with ties
    ) as of_pool
    where own.swap_count > traded.swap_count
    order by of_pool.slot
    fetch first $4 rows with ties
  )
) as swap
join pool on pool.id = swap.pool_id
order by wanted.ordinal, swap.slot
