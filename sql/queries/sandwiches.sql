-- name: sandwiches/delete_brackets
-- Deletes brackets with their legs. $1 bigint[]: ids. Index: sandwich_pkey.
delete from sandwich where id = any ($1)

-- name: sandwiches/delete_due
-- Deletes notes of slots that were followed. $1 bigint[]: ids. Index: sandwich_due_pkey.
delete from sandwich_due where id = any ($1)

-- name: sandwiches/delete_outside
-- Deletes the brackets of a pool that begin outside of its swaps. $1 integer: pool id, $2 bigint, $3 bigint: first and last slot of
-- these. Index: sandwich_pool.
delete from sandwich where pool_id = $1 and not slot between $2 and $3

-- name: sandwiches/find_pools
-- Pools by id, $1 integer[]. first_slot and last_slot: of their swaps, null before the first; migrated_at_ms: Unix ms. Index:
-- pool_pkey.
select id, first_slot, last_slot, migrated_at_ms from pool where id = any ($1)

-- name: sandwiches/find_start
-- Whether the job has ever followed the pool lanes.
select exists (select from sandwich_start) as has_started

-- name: sandwiches/insert_bracket
-- $1 integer: pool id; of the first leg $2 bigint slot, $3 bigint block_tx_index, $4 integer ix_index, $5 text signature and $6
-- bigint timestamp, Unix ms; $7 bigint: slot of the last leg; $8 $9 $10 text: ruling, link, width; $11 integer: number of victims;
-- $12 $13 numeric: profit, null where unknown, and gain of others, lamports. Result: its id.
insert into sandwich (
  pool_id, slot, block_tx_index, ix_index, signature, timestamp_ms, last_slot, ruling, link, width, victim_count,
  profit_lamports, gain_of_others_lamports
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
returning id

-- name: sandwiches/insert_legs
-- The legs of a bracket in execution order. $1 bigint: its id; pairwise: $2 text[] role, $3 text[] wallet, $4 bigint[] slot,
-- $5 bigint[] block_tx_index, $6 integer[] ix_index, $7 bigint[] timestamp, Unix ms, $8 text[] signature, $9 boolean[] is_buy,
-- $10 bigint[] $11 bigint[] SOL and token leg, $12 text[] basis, $13 numeric[] $14 numeric[] least and greatest loss, lamports.
-- Index: that of wallet.address.
insert into sandwich_leg (
  sandwich_id, ordinal, role, wallet_id, slot, block_tx_index, ix_index, timestamp_ms, signature, is_buy, sol_amount,
  token_amount, basis, loss_low, loss_high
)
select
  $1, leg.ordinal, leg.role, wallet.id, leg.slot, leg.block_tx_index, leg.ix_index, leg.timestamp_ms, leg.signature,
  leg.is_buy, leg.sol_amount, leg.token_amount, leg.basis, leg.loss_low, leg.loss_high
from unnest(
  $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::integer[], $7::bigint[], $8::text[], $9::boolean[],
  $10::bigint[], $11::bigint[], $12::text[], $13::numeric[], $14::numeric[]
) with ordinality as leg (
  role, wallet, slot, block_tx_index, ix_index, timestamp_ms, signature, is_buy, sol_amount, token_amount, basis,
  loss_low, loss_high, ordinal
)
join wallet on wallet.address = leg.wallet

-- name: sandwiches/list_brackets
-- The brackets of a pool that begin in slots. $1 integer: pool id, $2 bigint, $3 bigint: first slot and end. Index: sandwich_pool.
select
  id, slot, block_tx_index, ix_index, signature, timestamp_ms, last_slot, ruling, link, width, victim_count,
  profit_lamports, gain_of_others_lamports
from sandwich
where pool_id = $1 and slot >= $2 and slot < $3
order by slot, block_tx_index, ix_index, signature, id

-- name: sandwiches/list_due
-- Notes of slots to be followed, the short ones first: history waits for what is new. $1 integer: how many, $2 bigint: slots of a
-- short one. Reads the whole of a small table.
select id, first_slot, last_slot
from sandwich_due
order by last_slot - first_slot > $2, id
limit $1

-- name: sandwiches/list_due_runs
-- Slots that are still to be followed. Reads the whole of a small table.
select first_slot as first, last_slot as last from sandwich_due order by first_slot, last_slot

-- name: sandwiches/list_legs
-- The legs of brackets in execution order. $1 bigint[]: ids of brackets. Index: sandwich_leg_pkey.
select
  leg.sandwich_id, leg.role, wallet.address as wallet, leg.slot, leg.block_tx_index, leg.ix_index, leg.timestamp_ms,
  leg.signature, leg.is_buy, leg.sol_amount, leg.token_amount, leg.basis, leg.loss_low, leg.loss_high
from sandwich_leg as leg
join wallet on wallet.id = leg.wallet_id
where leg.sandwich_id = any ($1)
order by leg.sandwich_id, leg.ordinal

-- name: sandwiches/list_liquidity_changes
-- Changes of a pool's liquidity in a range of slots, unordered. $1 integer: pool id, $2 bigint, $3 bigint: first and last slot. Index:
-- pool_event_pool.
select
  {+stored_pool_event_columns}
from pool_event
join pool on pool.id = pool_event.pool_id
join token on token.id = pool.token_id
where pool_event.pool_id = $1
  and pool_event.slot between $2 and $3
  and pool_event.event in ('liquidity_added', 'liquidity_removed')

-- name: sandwiches/list_pools
-- A page of the pools with swaps. $1 integer: id to continue after, $2 integer: how many. Index: pool_pkey.
select id, first_slot, last_slot, migrated_at_ms
from pool
where id > $1 and first_slot is not null
order by id
limit $2

-- name: sandwiches/list_pools_until
-- Pools as of a slot up to which they have swaps. $1 bigint: slot, $2 integer[]: ids. Index: pool_pkey, pool_event_pool.
select
  own.id, own.first_slot, own.last_slot,
  (
    {+migrated_until}
  ) as migrated_at_ms
from pool as own
where own.id = any ($2::integer[])

-- name: sandwiches/list_strays
-- Brackets that begin outside of the swaps of their pool. Index: sandwich_pool.
select sandwich.pool_id, sandwich.slot
from sandwich
left join pool on pool.id = sandwich.pool_id
where sandwich.slot between pool.first_slot and pool.last_slot is not true
order by sandwich.pool_id, sandwich.slot
limit 10

-- name: sandwiches/listen_due
-- Subscribes to notifications of slots that are to be followed where none were. Lasts as long as the connection.
listen sandwich_due

-- name: sandwiches/lock_follower
-- Whether this transaction may follow the slots: one at a time.
select pg_try_advisory_xact_lock(hashtextextended('sandwiches', 0)) as is_taken

-- name: sandwiches/note_stored_slots
-- Notes, once for all time, the slots of all swaps that were stored before notes were taken. Indexes: pool_first_slot or none, as the
-- table of pools is read once.
with started as (
  insert into sandwich_start default values on conflict do nothing returning is_only
)
insert into sandwich_due (first_slot, last_slot)
select min(pool.first_slot), max(pool.last_slot)
from started
join pool on pool.first_slot is not null
having min(pool.first_slot) is not null

-- name: sandwiches/shorten_due
-- The slots of a note before one are followed. $1 bigint: id, $2 bigint: the slot. Index: sandwich_due_pkey.
update sandwich_due set first_slot = $2 where id = $1

-- name: sandwiches/wait_for_follower
-- Waits until this transaction may write brackets: one at a time.
select pg_advisory_xact_lock(hashtextextended('sandwiches', 0))
