-- name: swaps/find_pools
-- Pools of a pair account, of a mint, or of both, with the slots of their first and their newest swap, and the first and
-- last slot that swaps of any pool may have, as in swaps/read_slot_bounds.
-- $1 text: pair address, $2 text: mint; null for any, never both.
-- Index: pool_pair_address_token_id_key or pool_token, each read only where it is requested; slot_span_pkey, both ends.
select own.id, own.first_slot, own.last_slot, bounds.low_slot, bounds.high_slot
from (
  select id, first_slot, last_slot
  from pool
  where pair_address = $1
    and ($2::text is null or token_id = (select id from token where address = $2))
  union all
  select id, first_slot, last_slot
  from pool
  where $1::text is null and token_id = (select id from token where address = $2)
) as own
cross join (
  select min(bucket) as low_slot, max(bucket) + least(9999, 9007199254740991 - max(bucket)) as high_slot
  from slot_span
  where width = 10000
) as bounds

-- name: swaps/find_signature
-- Positions that may hold swaps of this signature: a hash may be shared, so the caller compares the text.
-- $1 bigint: signatureHash of the text. Index: swap_signature_key, one probe.
select distinct slot, block_tx_index from swap_signature where signature_hash = $1

-- name: swaps/find_slot_range
-- The slots that hold every swap of a window of time; no row without any.
-- $1 bigint, $2 bigint: first and last Unix ms. Index: slot_span_pkey.
-- Coarse by runs of 10,000 slots, then the two edges by runs of 100 slots within them. A bucket is
-- the first slot of its run.
with coarse as (
  select min(bucket) as low, max(bucket) as high
  from slot_span
  where width = 10000 and last_ms >= $1 and first_ms <= $2
)
select
  coalesce(
    (
      select min(bucket)
      from slot_span
      where width = 100
        and bucket between coarse.low and coarse.low + 9999
        and last_ms >= $1 and first_ms <= $2
    ),
    coarse.low
  ) as low_slot,
  coalesce(
    (
      select max(bucket) + least(99, 9007199254740991 - max(bucket))
      from slot_span
      where width = 100
        and bucket between coarse.high and coarse.high + 9999
        and last_ms >= $1 and first_ms <= $2
    ),
    coarse.high + least(9999, 9007199254740991 - coarse.high)
  ) as high_slot
from coarse
where coarse.low is not null

-- name: swaps/find_trader
-- The id of a wallet that ever traded, and the first and last slot that swaps of any wallet may have, as in
-- swaps/read_slot_bounds.
-- $1 text: address. Index: wallet_address_key; slot_span_pkey, both ends.
select wallet.id, bounds.low_slot, bounds.high_slot
from wallet
cross join (
  select min(bucket) as low_slot, max(bucket) + least(9999, 9007199254740991 - max(bucket)) as high_slot
  from slot_span
  where width = 10000
) as bounds
where wallet.address = $1

-- name: swaps/find_venue_run
-- The {end} run of 10,000 slots in which a venue may have traded: at the time of its swaps there is volume of
-- the venue. No row: these slots hold no swap of it.
-- $1 smallint: venue, $2 bigint, $3 bigint: first and last slot to look at.
-- Index: slot_span_pkey, venue_volume_pkey. A bucket is the first slot of its run.
-- variant asc: end = first; order = asc
-- variant desc: end = last; order = desc
select bucket as low_slot, bucket + least(9999, 9007199254740991 - bucket) as high_slot
from slot_span
where width = 10000
  and bucket between $2::bigint - 9999 and $3
  and exists (
    select
    from venue_volume as traded
    where traded.width = 900000
      and traded.bucket_ms between slot_span.first_ms / 900000 * 900000 and slot_span.last_ms
      and traded.dex = $1
  )
order by bucket {order}
limit 1

-- name: swaps/find_wallet
-- The id of a wallet that ever traded.
-- $1 text: address. Index: wallet_address_key.
select id from wallet where address = $1

-- name: swaps/list_mint_pools
-- The busiest pools of a mint, for a caller that sent the mint instead of a pool. No row: no mint.
-- $1 text: address, $2 integer: rows. Index: token_address_key, pool_token.
select p.pair_address
from token t
left join pool p on p.token_id = t.id
where t.address = $1
order by p.swap_count desc nulls last, p.pair_address
limit $2

-- name: swaps/list_pool_swaps
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

-- name: swaps/list_swaps
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

-- name: swaps/list_transaction_swaps
-- The swaps of one transaction at a known position. Unordered: the caller sorts.
-- $1 bigint: slot, $2 bigint: block_tx_index, $3 text: signature.
-- Index: swap_order of the one chunk that holds the slot.
select
  {+served_swap_columns},
  p.pair_address
from swap s
join pool p on p.id = s.pool_id
join token t on t.id = p.token_id
join wallet w on w.id = s.wallet_id
where s.slot = $1 and s.block_tx_index = $2 and s.signature = $3

-- name: swaps/list_wallet_swaps
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

-- name: swaps/list_whale_swaps
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

-- name: swaps/read_slot_bounds
-- The first and last slot that swaps may have, in steps of 10,000; null before the first swap.
-- Index: slot_span_pkey, both ends. A bucket is the first slot of its run; no slot exceeds 2^53 - 1, beyond which
-- JavaScript's numbers are not exact.
select
  min(bucket) as low_slot,
  max(bucket) + least(9999, 9007199254740991 - max(bucket)) as high_slot
from slot_span
where width = 10000
