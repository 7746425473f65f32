-- name: swap-history/count_copied_orders
-- Orders of some wallets in slots, which are their transactions by mint; of more swaps than a maximum, those of so many of them.
-- $1 text[]: addresses, $2 bigint, $3 bigint: first and last slot, $4 integer: maximum of swaps.
-- Result: orders; swaps: how many were read. Index: wallet_address_key, swap_wallet.
select
  count(distinct (counted.wallet_id, pool.token_id, counted.signature)) as orders,
  count(*) as swaps
from (
  select swap.wallet_id, swap.pool_id, swap.signature
  from wallet
  join swap on swap.wallet_id = wallet.id
  where wallet.address = any ($1) and swap.slot between $2 and $3
  limit $4
) as counted
join pool on pool.id = counted.pool_id

-- name: swap-history/count_copied_swaps
-- Swaps of some wallets up to a slot, counted as far as a maximum.
-- $1 text[]: addresses, $2 bigint: last slot, $3 integer: maximum. Index: wallet_address_key, swap_wallet.
select count(*) as swaps
from (
  select
  from wallet
  join swap on swap.wallet_id = wallet.id
  where wallet.address = any ($1) and swap.slot <= $2
  limit $3
) as counted

-- name: swap-history/find_slot_since
-- The first slot of a range with a swap at or after a time; no row: none.
-- $1 bigint, $2 bigint: first and last slot to look at, $3 bigint: Unix ms. Index: swap_order.
select slot from swap
where slot between $1 and $2 and timestamp_ms >= $3
order by slot, block_tx_index, ix_index, dex
limit 1

-- name: swap-history/find_slot_until
-- The last slot of a range with a swap at or before a time; no row: none.
-- $1 bigint, $2 bigint: first and last slot to look at, $3 bigint: Unix ms. Index: swap_order.
select slot from swap
where slot between $1 and $2 and timestamp_ms <= $3
order by slot desc, block_tx_index desc, ix_index desc, dex desc
limit 1

-- name: swap-history/list_copied_slots
-- All swaps of pools in single slots. Unordered: the caller sorts.
-- $1 integer[], $2 bigint[]: pool id and slot, no two alike. Index: swap_pool.
select
  {+stored_swap_columns}
from unnest($1::integer[], $2::bigint[]) as wanted (pool_id, slot)
cross join lateral (
  select *
  from swap
  where swap.pool_id = any (array[wanted.pool_id]) and swap.slot = wanted.slot
) as swap
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
join wallet on wallet.id = swap.wallet_id

-- name: swap-history/list_copied_states
-- The last slot of pools with a swap up to slots; no row: none.
-- $1 integer[], $2 bigint[]: pool id and last slot to look at. Result: ordinal: index from 1 on. Index: swap_pool.
-- `any` of one id: only that index has the order then.
select wanted.ordinal::integer, found.slot
from unnest($1::integer[], $2::bigint[]) with ordinality as wanted (pool_id, slot, ordinal)
join pool on pool.id = wanted.pool_id
cross join lateral (
  select swap.slot
  from swap
  where swap.pool_id = any (array[wanted.pool_id])
    and swap.slot between pool.first_slot and least(wanted.slot, pool.last_slot)
  order by swap.pool_id desc, swap.slot desc
  limit 1
) as found

-- name: swap-history/list_copied_swaps
-- The swaps of some wallets up to a slot. Unordered: the caller sorts.
-- $1 text[]: addresses, $2 bigint: last slot. Index: wallet_address_key, swap_wallet.
select
  {+stored_swap_columns}
from wallet
join swap on swap.wallet_id = wallet.id
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
where wallet.address = any ($1) and swap.slot <= $2

-- name: swap-history/list_followed_states
-- The first swaps of pools after slots, whole slots. Unordered: the caller sorts.
-- $1 integer[], $2 bigint[], $3 bigint[]: pool id, first and last slot of each range, $4 integer: about how many of each.
-- Result: ordinal: index of the range from 1 on. Index: swap_pool.
select
  wanted.ordinal::integer,
  {+stored_swap_columns}
from unnest($1::integer[], $2::bigint[], $3::bigint[]) with ordinality as wanted (pool_id, first_slot, last_slot, ordinal)
cross join lateral (
  select *
  from swap
  where pool_id = any (array[wanted.pool_id]) and slot between wanted.first_slot and wanted.last_slot
  order by pool_id, slot
  fetch first $4 rows with ties
) as swap
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
join wallet on wallet.id = swap.wallet_id
