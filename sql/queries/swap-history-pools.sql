-- name: swap-history/find_ends
-- The first slot and the greatest time of the swaps of pools; null without a swap. $1 integer[]: pool ids. Indexes:
-- swap_pool; candle_1m_pkey, backwards to the newest minute.
select
  wanted.pool_id,
  (
    select slot from swap where swap.pool_id = wanted.pool_id order by slot limit 1
  ) as first_slot,
  (
    select max(swap.timestamp_ms)
    from (
      select bucket_ms, first_slot, last_slot
      from candle_1m
      where candle_1m.pool_id = wanted.pool_id
      order by bucket_ms desc
      limit 1
    ) as newest
    join swap on swap.pool_id = wanted.pool_id
      and swap.slot >= newest.first_slot and swap.slot <= newest.last_slot
      and swap.timestamp_ms >= newest.bucket_ms
  ) as newest_ms
from unnest($1::integer[]) as wanted (pool_id)

-- name: swap-history/find_last_prices
-- The canonically last priced swap of pools. $1 integer[]: pool ids, $2 bigint: the least lamports of a priced
-- trade, $3 bigint[]: its least token base units by decimals from 0 on, $4 integer: agent_trade that sets no price.
-- Index: swap_pool, backwards to the first that is priced; swaps at one position are ordered after.
select
  wanted.pool_id, last.slot, last.timestamp_ms, last.sol_amount, last.token_amount, last.quote_decimals
from unnest($1::integer[]) as wanted (pool_id)
cross join lateral (
  select tied.slot, tied.timestamp_ms, tied.sol_amount, tied.token_amount, tied.quote_decimals
  from (
    select slot, timestamp_ms, is_buy, signature, wallet_id, sol_amount, token_amount, quote_decimals
    from swap
    where swap.pool_id = wanted.pool_id
      and sol_amount >= $2 and token_amount >= ($3::bigint[])[quote_decimals + 1] and agent_trade <> $4
    order by slot desc, block_tx_index desc, ix_index desc, dex desc
    fetch first 1 row with ties
  ) as tied
  join wallet on wallet.id = tied.wallet_id
  {+last_of_tied}
) as last

-- name: swap-history/find_minute_ends
-- The canonically first and last priced swap of pools' minutes.
-- Pairwise: $1 integer[] pool_id, $2 bigint[] bucket_ms, $3 $4 bigint[]: first and last slot of its swaps;
-- $5 bigint: the least lamports of a priced trade, $6 bigint[]: its least token base units by decimals from 0 on,
-- $7 integer: agent_trade that sets no price, $8 $9 bigint: least and greatest of the slots, which exclude all other
-- chunks. Index: swap_pool, from both ends of the minute's slots to the first that is priced; swaps at one position are
-- ordered after.
select
  wanted.pool_id, wanted.bucket_ms,
  first.sol_amount as open_sol, first.token_amount as open_token,
  first.quote_decimals as open_decimals,
  last.sol_amount as close_sol, last.token_amount as close_token,
  last.quote_decimals as close_decimals
from unnest($1::integer[], $2::bigint[], $3::bigint[], $4::bigint[])
  as wanted (pool_id, bucket_ms, first_slot, last_slot)
cross join lateral (
  select tied.sol_amount, tied.token_amount, tied.quote_decimals
  from (
    select is_buy, signature, wallet_id, sol_amount, token_amount, quote_decimals
    from swap
    where swap.pool_id = wanted.pool_id
      and slot >= wanted.first_slot and slot <= wanted.last_slot
      and slot between $8::bigint and $9::bigint
      and timestamp_ms >= wanted.bucket_ms and timestamp_ms < wanted.bucket_ms + 60000
      and sol_amount >= $5 and token_amount >= ($6::bigint[])[quote_decimals + 1] and agent_trade <> $7
    order by slot, block_tx_index, ix_index, dex
    fetch first 1 row with ties
  ) as tied
  join wallet on wallet.id = tied.wallet_id
  order by
    tied.is_buy desc, tied.signature, wallet.address, tied.sol_amount, tied.token_amount
  limit 1
) as first
cross join lateral (
  select tied.sol_amount, tied.token_amount, tied.quote_decimals
  from (
    select is_buy, signature, wallet_id, sol_amount, token_amount, quote_decimals
    from swap
    where swap.pool_id = wanted.pool_id
      and slot >= wanted.first_slot and slot <= wanted.last_slot
      and slot between $8::bigint and $9::bigint
      and timestamp_ms >= wanted.bucket_ms and timestamp_ms < wanted.bucket_ms + 60000
      and sol_amount >= $5 and token_amount >= ($6::bigint[])[quote_decimals + 1] and agent_trade <> $7
    order by slot desc, block_tx_index desc, ix_index desc, dex desc
    fetch first 1 row with ties
  ) as tied
  join wallet on wallet.id = tied.wallet_id
  {+last_of_tied}
) as last

-- name: swap-history/find_pool_slot
-- The last slot with a swap of a pool in a range of slots; no row: none.
-- $1 integer: pool id, $2 bigint, $3 bigint: first and last slot to look at. Index: swap_pool.
-- `any` of one id: only that index has the order then.
select slot
from swap
where pool_id = any (array[$1::integer]) and slot between $2 and $3
order by pool_id desc, slot desc
limit 1

-- name: swap-history/insert_pool_traders
-- Minutes of all wallets in a pool, from its swaps of some slots; a day may have been begun by those of other slots. $1 integer:
-- pool id, $2 bigint, $3 bigint: first and last slot. Index: swap_pool.
insert into pool_trader as stored (pool_id, day, wallet_id, minutes)
select
  $1, (timestamp_ms / 86400000)::integer as day, wallet_id,
  array_agg(
    distinct (timestamp_ms % 86400000 / 60000)::smallint
    order by (timestamp_ms % 86400000 / 60000)::smallint
  )
from swap
where pool_id = $1 and slot between $2 and $3
group by 2, wallet_id
on conflict (pool_id, day, wallet_id) do update
set minutes = array(
  select distinct minute from unnest(stored.minutes || excluded.minutes) as minute order by minute
)

-- name: swap-history/list_following_swaps
-- The first swaps of a pool in a range of slots, whole slots, ascending by slot and otherwise unordered: the caller sorts.
-- $1 integer: pool id, $2 bigint, $3 bigint: first and last slot, $4 integer: about how many. Index: swap_pool.
select
  {+stored_swap_columns}
from (
  select *
  from swap
  where pool_id = any (array[$1::integer]) and slot between $2 and $3
  order by pool_id, slot
  fetch first $4 rows with ties
) as swap
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
join wallet on wallet.id = swap.wallet_id

-- name: swap-history/list_last_swaps
-- The swaps of the newest slot of pools. $1 integer[]: pool ids. Index: swap_pool, backwards.
select
  {+stored_swap_columns}
from unnest($1::integer[]) as wanted (pool_id)
cross join lateral (
  select *
  from swap
  where swap.pool_id = wanted.pool_id
  order by slot desc
  fetch first 1 row with ties
) as swap
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
join wallet on wallet.id = swap.wallet_id

-- name: swap-history/list_minute_swaps
-- The stored swaps of minutes of pools. Pairwise: $1 integer[] pool_id, $2 bigint[] bucket_ms, $3 $4 bigint[]: first and
-- last slot of the minute's swaps; $5 $6 bigint: least and greatest of these, which exclude all other chunks. Index:
-- swap_pool.
select
  {+stored_swap_columns}
from unnest($1::integer[], $2::bigint[], $3::bigint[], $4::bigint[])
  as wanted (pool_id, bucket_ms, first_slot, last_slot)
join swap on swap.pool_id = wanted.pool_id
  and swap.slot >= wanted.first_slot and swap.slot <= wanted.last_slot
  and swap.timestamp_ms >= wanted.bucket_ms and swap.timestamp_ms < wanted.bucket_ms + 60000
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
join wallet on wallet.id = swap.wallet_id
where swap.slot between $5::bigint and $6::bigint

-- name: swap-history/list_neighbours
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

-- name: swap-history/list_swaps_of_pool
-- A page of a pool's stored swaps from a slot on, whole slots.
-- $1 integer: pool id, $2 bigint: first slot, $3 integer: about how many. Index: swap_pool.
select
  {+stored_swap_columns}
from (
  select *
  from swap
  where pool_id = $1 and slot >= $2
  order by slot
  fetch first $3 rows with ties
) as swap
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
join wallet on wallet.id = swap.wallet_id
order by swap.slot

-- name: swap-history/list_swaps_of_pools
-- The swaps of pools in slots, unordered. $1 integer[]: pool ids, $2 bigint, $3 bigint: first and last slot. Index: swap_pool, pool by
-- pool, also where no statistics exist.
select
  {+stored_swap_columns}
from unnest($1::integer[]) as wanted (pool_id)
cross join lateral (
  select *
  from swap
  where swap.pool_id = wanted.pool_id and slot between $2 and $3
  offset 0
) as swap
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
join wallet on wallet.id = swap.wallet_id
