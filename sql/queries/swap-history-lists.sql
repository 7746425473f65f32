-- name: swap-history/list_pool_swaps
-- Swaps of some pools, {words}: the page of each, then the page of all.
-- $1 bigint, $2 bigint, $3 integer, $4 integer: slot, block_tx_index, ix_index, dex {side} which the list continues; $5
-- bigint, $6 bigint: first and last slot to look at; $7 integer: rows; null for any: $8 smallint: dex, $9 boolean:
-- is_buy, $10 bigint: least sol_amount,
-- $11 bigint, $12 bigint: first and last timestamp_ms,
-- $13 integer: ms to search for matches; $14 integer[]: pool ids.
-- Result: swaps by the interface's names, at least $7 if so many exist, and with the last one all that tie with it in
-- (slot, block_tx_index, ix_index, dex). Unordered: the caller sorts.
-- $13 ms after the first mismatch all later swaps are returned, so that the caller knows how far the search came. The
-- row bound repeats the slot bound, wherever $1 is: the index is entered by it only, and scanned from there.
-- Index: swap_pool. A pool whose last swap is before the slots is not read. `any` of one id: only that index has the
-- order then. As id = x, the planner may assume that a pool that was busy by statistics is busy at the end of the list,
-- and scan a whole chunk of others.
-- variant asc: words = oldest first; side = above; order = asc; beyond = >
-- variant asc: from_slot = greatest($1::bigint, $5::bigint - 1)
-- variant desc: words = newest first; side = below; order = desc; beyond = <
-- variant desc: from_slot = least($1::bigint - 1, $6::bigint) + 1
select
  {+served_swap_columns},
  s.pair_address
from (
  select swap_of_pool.*, p.pair_address, p.token_id
  from pool p
  cross join lateral (
    select *
    from swap
    where pool_id = any (array[p.id])
      and slot between $5 and $6
      and (slot, block_tx_index, ix_index, dex) {beyond}
        ({from_slot}, $2::bigint, $3::integer, $4::integer)
      and dex between coalesce($8::smallint, 0::smallint) and coalesce($8::smallint, 32767::smallint)
      and (
        ($9::boolean is null or is_buy = $9)
        and ($10::bigint is null or sol_amount >= $10)
        and ($11::bigint is null or timestamp_ms >= $11)
        and ($12::bigint is null or timestamp_ms <= $12)
        or clock_timestamp() >= (select clock_timestamp() + $13::integer * interval '1 millisecond')
      )
    order by pool_id {order}, slot {order}, block_tx_index {order}, ix_index {order}, dex {order}
    fetch first $7 rows with ties
  ) swap_of_pool
  where p.id = any ($14::integer[]) and p.last_slot >= $5
  order by swap_of_pool.slot {order}, swap_of_pool.block_tx_index {order}, swap_of_pool.ix_index {order},
    swap_of_pool.dex {order}
  fetch first $7 rows with ties
) s
join token t on t.id = s.token_id
join wallet w on w.id = s.wallet_id

-- name: swap-history/list_swaps
-- Swaps of any pool and wallet, {words}.
-- $1 bigint, $2 bigint, $3 integer, $4 integer: slot, block_tx_index, ix_index, dex {side} which
-- the list continues; $5 bigint, $6 bigint: first and last slot to look at; $7 integer: rows; null for any: $8
-- smallint: dex, $9 boolean: is_buy, $10 bigint: least sol_amount,
-- $11 bigint, $12 bigint: first and last timestamp_ms; $13 integer: ms to search for matches.
-- Result: swaps by the interface's names, at least $7 if so many exist, and with the last one all that tie with it in
-- (slot, block_tx_index, ix_index, dex). Unordered: the caller sorts.
-- $13 ms after the first mismatch all later swaps are returned, so that the caller knows how far the search came. The
-- row bound repeats the slot bound, wherever $1 is: the index is entered by it only, and scanned from there.
-- Index: swap_order; a chunk is opened only when the one before did not fill the page.
-- variant asc: words = oldest first; side = above; order = asc; beyond = >
-- variant asc: from_slot = greatest($1::bigint, $5::bigint - 1)
-- variant desc: words = newest first; side = below; order = desc; beyond = <
-- variant desc: from_slot = least($1::bigint - 1, $6::bigint) + 1
select
  {+served_swap_columns},
  p.pair_address
from (
  select *
  from swap
  where slot between $5 and $6
    and (slot, block_tx_index, ix_index, dex) {beyond}
      ({from_slot}, $2::bigint, $3::integer, $4::integer)
    and dex between coalesce($8::smallint, 0::smallint) and coalesce($8::smallint, 32767::smallint)
    and (
      ($9::boolean is null or is_buy = $9)
      and ($10::bigint is null or sol_amount >= $10)
      and ($11::bigint is null or timestamp_ms >= $11)
      and ($12::bigint is null or timestamp_ms <= $12)
      or clock_timestamp() >= (select clock_timestamp() + $13::integer * interval '1 millisecond')
    )
  order by slot {order}, block_tx_index {order}, ix_index {order}, dex {order}
  fetch first $7 rows with ties
) s
join pool p on p.id = s.pool_id
join token t on t.id = p.token_id
join wallet w on w.id = s.wallet_id

-- name: swap-history/list_wallet_swaps
-- Swaps of one wallet, {words}.
-- $1 bigint, $2 bigint, $3 integer, $4 integer: slot, block_tx_index, ix_index, dex {side} which
-- the list continues; $5 bigint, $6 bigint: first and last slot to look at; $7 integer: rows; null for any: $8
-- smallint: dex, $9 boolean: is_buy, $10 bigint: least sol_amount,
-- $11 bigint, $12 bigint: first and last timestamp_ms,
-- $13 integer: ms to search for matches; $14 integer: wallet id; $15 integer[]: pool ids, null for any.
-- Result: swaps by the interface's names, at least $7 if so many exist, and with the last one all that tie with it in
-- (slot, block_tx_index, ix_index, dex). Unordered: the caller sorts.
-- $13 ms after the first mismatch all later swaps are returned, so that the caller knows how far the search came. The
-- row bound repeats the slot bound, wherever $1 is: the index is entered by it only, and scanned from there.
-- Index: swap_wallet.
-- `any` of one id: only that index has the order then. As id = x, the planner may assume that a wallet that was busy by
-- statistics is busy at the end of the list, and scan a whole chunk of others.
-- variant asc: words = oldest first; side = above; order = asc; beyond = >
-- variant asc: from_slot = greatest($1::bigint, $5::bigint - 1)
-- variant desc: words = newest first; side = below; order = desc; beyond = <
-- variant desc: from_slot = least($1::bigint - 1, $6::bigint) + 1
select
  {+served_swap_columns},
  p.pair_address
from (
  select *
  from swap
  where wallet_id = any (array[$14::integer])
    and slot between $5 and $6
    and (slot, block_tx_index, ix_index, dex) {beyond}
      ({from_slot}, $2::bigint, $3::integer, $4::integer)
    and dex between coalesce($8::smallint, 0::smallint) and coalesce($8::smallint, 32767::smallint)
    and (
      ($15::integer[] is null or pool_id = any ($15))
      and ($9::boolean is null or is_buy = $9)
      and ($10::bigint is null or sol_amount >= $10)
      and ($11::bigint is null or timestamp_ms >= $11)
      and ($12::bigint is null or timestamp_ms <= $12)
      or clock_timestamp() >= (select clock_timestamp() + $13::integer * interval '1 millisecond')
    )
  order by wallet_id {order}, slot {order}, block_tx_index {order}, ix_index {order}, dex {order}
  fetch first $7 rows with ties
) s
join pool p on p.id = s.pool_id
join token t on t.id = p.token_id
join wallet w on w.id = s.wallet_id

-- name: swap-history/list_whale_swaps
-- Swaps of 10 SOL or more, of any pool and wallet, {words}.
-- $1 bigint, $2 bigint, $3 integer, $4 integer: slot, block_tx_index, ix_index, dex {side} which
-- the list continues; $5 bigint, $6 bigint: first and last slot to look at; $7 integer: rows; null for any: $8
-- smallint: dex, $9 boolean: is_buy, $11 bigint, $12 bigint: first and last timestamp_ms;
-- $10 bigint: least sol_amount, 10 SOL at least; $13 integer: ms to search for matches.
-- Result: swaps by the interface's names, at least $7 if so many exist, and with the last one all that tie with it in
-- (slot, block_tx_index, ix_index, dex). Unordered: the caller sorts.
-- $13 ms after the first mismatch all later swaps are returned, so that the caller knows how far the search came. The
-- row bound repeats the slot bound, wherever $1 is: the index is entered by it only, and scanned from there.
-- Index: swap_large, by the constant; a chunk is opened only when the one before did not fill the page.
-- variant asc: words = oldest first; side = above; order = asc; beyond = >
-- variant asc: from_slot = greatest($1::bigint, $5::bigint - 1)
-- variant desc: words = newest first; side = below; order = desc; beyond = <
-- variant desc: from_slot = least($1::bigint - 1, $6::bigint) + 1
select
  {+served_swap_columns},
  p.pair_address
from (
  select *
  from swap
  where slot between $5 and $6
    and (slot, block_tx_index, ix_index, dex) {beyond}
      ({from_slot}, $2::bigint, $3::integer, $4::integer)
    and dex between coalesce($8::smallint, 0::smallint) and coalesce($8::smallint, 32767::smallint)
    and sol_amount >= 10000000000
    and (
      ($9::boolean is null or is_buy = $9)
      and sol_amount >= $10
      and ($11::bigint is null or timestamp_ms >= $11)
      and ($12::bigint is null or timestamp_ms <= $12)
      or clock_timestamp() >= (select clock_timestamp() + $13::integer * interval '1 millisecond')
    )
  order by slot {order}, block_tx_index {order}, ix_index {order}, dex {order}
  fetch first $7 rows with ties
) s
join pool p on p.id = s.pool_id
join token t on t.id = p.token_id
join wallet w on w.id = s.wallet_id
