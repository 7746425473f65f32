-- name: pool/advance_repair
-- A page of a repair is done. $1 integer: pool id, $2 bigint: the slot to go on from.
update pool_repair set next_slot = $2 where pool_id = $1

-- name: pool/delete_repair
-- A repair is done. $1 integer: pool id.
delete from pool_repair where pool_id = $1

-- name: pool/find_liquidity_between
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
  as pair (pool_id, from_slot, from_tx, from_ix, to_slot, to_tx, to_ix, ordinal)
order by pair.ordinal

-- name: pool/insert_conflicts
-- Stores rejected events, pairwise; a version that is listed already is not listed again.
-- $1 text[] kind, $2 text[] event, $3 text[] signature, $4 text[] pair_address, $5 text[] wallet,
-- $6 bigint[] stored_slot, $7 bigint[] kept_out_slot, $8 text[] stored, $9 text[] kept_out.
-- Index: event_conflict_version.
insert into event_conflict (
  kind, event, signature, pair_address, wallet, stored_slot, kept_out_slot, stored, kept_out
)
select *
from unnest(
  $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::text[],
  $9::text[]
)
on conflict (signature, md5(kept_out)) do nothing

-- name: pool/insert_pool_events
-- New pool events, pairwise.
-- $1 integer[] pool_id, $2 bigint[] slot, $3 bigint[] block_tx_index, $4 integer[] ix_index,
-- $5 bigint[] timestamp_ms, $6 smallint[] dex, $7 text[] event, $8 text[] signature,
-- $9 text[] creator, $10 text[] from_pair, $11 bigint[] sol_amount, $12 bigint[] token_amount, $13 text[] blockhash.
insert into pool_event (
  pool_id, slot, block_tx_index, ix_index, timestamp_ms, dex, event, signature, creator, from_pair,
  sol_amount, token_amount, blockhash
)
select *
from unnest(
  $1::integer[], $2::bigint[], $3::bigint[], $4::integer[], $5::bigint[], $6::smallint[],
  $7::text[], $8::text[], $9::text[], $10::text[], $11::bigint[], $12::bigint[], $13::text[]
)

-- name: pool/insert_pools
-- Interns pools. $1 text[]: pair addresses, $2 text[]: mints (pairwise, sorted), already in token. As
-- insert_tokens.sql, without waiting for the disk.
insert into pool (pair_address, token_id)
select wanted.pair_address, token.id
from unnest($1::text[], $2::text[]) as wanted (pair_address, token_address)
join token on token.address = wanted.token_address
where (select set_config('synchronous_commit', 'off', true)) = 'off'
on conflict (pair_address, token_id) do nothing

-- name: pool/insert_repairs
-- Pools to go through again, from their first swap on. $1 integer[] pool_id, $2 smallint lane.
insert into pool_repair (pool_id, lane)
select unnest($1::integer[]), $2
on conflict (pool_id) do update set next_slot = 0

-- name: pool/insert_tokens
-- Interns mints. $1 text[]: addresses, sorted (so that two writers never wait crosswise). Does not wait for the disk:
-- any commit that uses such an id follows this one in the log. Only unknown mints are tried, because a refused row has
-- consumed its id nevertheless. Index: the unique key of token.
insert into token (address)
select fresh.address
from unnest($1::text[]) as fresh (address)
where (select set_config('synchronous_commit', 'off', true)) = 'off'
  and (select known.id from token as known where known.address = fresh.address) is null
on conflict (address) do nothing

-- name: pool/intern_wallets
-- Ids of wallets, interning those that are new. $1 text[]: addresses, sorted (so that two writers never
-- wait crosswise). Result: all but those that another transaction interns at the same moment.
-- Does not wait for the disk: any commit that uses such an id follows this one in the log.
-- Index: the unique key of wallet. One plan for arrays of all lengths, as load_pools.sql.
with known as (
  select id, address from wallet where address = any ((select $1::text[])::text[])
), added as (
  insert into wallet (address)
  select wanted.address
  from (
    select unnest((select $1::text[])) collate "C" as address
    except
    select address from known
  ) as wanted
  where (select set_config('synchronous_commit', 'off', true)) = 'off'
  order by wanted.address
  on conflict (address) do nothing
  returning id, address
)
select id, address from known
union all
select id, address from added

-- name: pool/list_changed_tags
-- Wallets whose tags changed since, with the bits that they have now, and the mark to pass the next time.
-- $1 text: xid8; '0' for all. Result: a row at least, its wallet_id null without a change. All transactions below the
-- snapshot's xmin have ended: their changes are visible here, and no other transaction is below next_mark. Index:
-- wallet_profile_changed.
select pg_snapshot_xmin(pg_current_snapshot())::text as next_mark, wallet_id, tags
from (values (1)) as always (one)
left join wallet_profile on changed_by >= $1::text::xid8

-- name: pool/list_chunk_fills
-- Row counts of the chunks of `swap` that were made last or lie last, and how many slots the next will be wide, on every row.
-- Result: first_slot, last_slot, row_count (null, all three, where there is no chunk), width. Index: swap_order of chunks.
select fill.first_slot, fill.last_slot, fill.row_count, dimension.integer_interval as width
from timescaledb_information.dimensions as dimension
left join chunk_fills() as fill on true
where dimension.hypertable_schema = current_schema() and dimension.hypertable_name = 'swap'

-- name: pool/list_committed_pool_events
-- The pool events that a transaction stored; one that only named the block of a row is another (nameBlocks).
-- $1 text: transaction (xid8); pairwise: $2 bigint[] first, $3 bigint[] last slot of the runs that hold them. Index:
-- pool_event_order.
select
  {+stored_pool_event_columns}
from unnest($2::bigint[], $3::bigint[]) as run (first_slot, last_slot)
join pool_event on pool_event.slot between run.first_slot and run.last_slot
join pool on pool.id = pool_event.pool_id
join token on token.id = pool.token_id
where pool_event.xmin = $1::xid8::xid

-- name: pool/list_contradicted_tokens
-- Mints among these whose token line has other decimals than their newest swap. $1 text[]: mints. Result:
-- token_address, line_decimals, swap_decimals. Indexes: token_address_key, that of mint_decimals(). Within the
-- transaction that wrote either: it sees both. One plan for all, as load_pools.sql.
select
  token.address as token_address, token.decimals as line_decimals, newest.decimals as swap_decimals
from unnest((select $1::text[])) as wanted (address)
join token on token.address = wanted.address
cross join lateral mint_decimals(token.id) as newest
where token.decimals <> newest.decimals

-- name: pool/list_known_pool_events
-- Stored pool events of these signatures, to distinguish a second delivery from a new event.
-- $1 text[]: signatures. Index: the unique key of pool_event. For an array that is the result of a select the planner
-- makes one plan for all lengths.
select
  {+stored_pool_event_columns}
from pool_event
join pool on pool.id = pool_event.pool_id
join token on token.id = pool.token_id
where pool_event.signature = any ((select $1::text[])::text[])

-- name: pool/list_repairs
-- Pools that wait for a repair, of any lane, by id. $1 integer: pool id after which the list continues,
-- $2 integer: how many. Index: pool_repair_pkey.
select pool_repair.pool_id, pool_repair.next_slot, pool.pair_address, token.address as token_address
from pool_repair
join pool on pool.id = pool_repair.pool_id
join token on token.id = pool.token_id
where pool_repair.pool_id > $1
order by pool_repair.pool_id
limit $2

-- name: pool/load_pools
-- Pools with the state from which folding continues.
-- $1 text[]: pair addresses, $2 text[]: mints (pairwise). Indexes: the unique keys of pool and token;
-- pool_event_pool for the migration, to a venue that does not report all reserves, and for the changes of liquidity
-- since the last swap. For arrays that are the result of a select the planner makes one plan for all lengths.
select
  pool.id, pool.pair_address, token.address as token_address, pool.dex, pool.swap_count,
  pool.last_slot, pool.last_block_tx_index, pool.last_ix_index, pool.last_timestamp_ms,
  pool.last_is_buy, pool.last_signature, pool.last_user, pool.last_sol_amount,
  pool.last_token_amount, pool.last_sol_reserves, pool.last_token_reserves, pool.last_price_after,
  pool.corrected_pool_price, pool.newest_ms, pool.last_price, pool.last_price_ms, pool.first_slot,
  pool.last_quote_decimals, pool.last_virtual_quote_reserves,
  migration.slot as migration_slot, migration.block_tx_index as migration_block_tx_index,
  migration.ix_index as migration_ix_index, migration.signature as migration_signature,
  migration.timestamp_ms as migration_timestamp_ms, migration.from_pair as migration_from_pair,
  liquidity.positions as liquidity_positions
from unnest((select $1::text[]), (select $2::text[])) as wanted (pair_address, token_address)
join token on token.address = wanted.token_address
join pool on pool.pair_address = wanted.pair_address and pool.token_id = token.id
left join lateral (
  select slot, block_tx_index, ix_index, signature, timestamp_ms, from_pair
  from pool_event
  where pool_id = pool.id and event = 'migrated' and from_pair is not null
    and dex = any (array(select venue.dex from venue where venue.missing_lamports is not null))
  order by slot, block_tx_index, ix_index, signature
  limit 1
) as migration on true
left join lateral (
  select jsonb_agg(jsonb_build_array(slot, block_tx_index, ix_index)) as positions
  from pool_event
  where pool_id = pool.id
    and event in ('liquidity_added', 'liquidity_removed')
    and (slot, block_tx_index, ix_index) >= (
      coalesce(pool.last_slot, 0), coalesce(pool.last_block_tx_index, 0),
      coalesce(pool.last_ix_index, 0)
    )
) as liquidity on true

-- name: pool/name_pool_events
-- Names the blocks of stored pool events that name none. Pairwise: $1 text[] signature, $2 text[] event, $3 text[] pair,
-- $4 integer[] ix_index, $5 text[] blockhash. Index: the unique key of pool_event.
update pool_event
set blockhash = named.blockhash
from unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::text[])
  as named (signature, event, pair_address, ix_index, blockhash)
join pool on pool.pair_address = named.pair_address
where pool_event.signature = named.signature
  and pool_event.event = named.event
  and pool_event.pool_id = pool.id
  and pool_event.ix_index = named.ix_index
  and pool_event.blockhash is null

-- name: pool/complete_swaps
-- Sets what stored swaps left out. Pairwise: $1 bigint[] slot, $2 bigint[] block_tx_index, $3 integer[] ix_index, $4 smallint[] dex,
-- $5 text[] signature, $6 text[] pair, $7 text[] user, $8 boolean[] is_buy, $9 bigint[] sol_amount, $10 bigint[] token_amount, no
-- two alike; $11 text[] blockhash, $12 $13 smallint[] rates outside the legs, each null where not stated; $14 $15 bigint: least
-- and greatest of the slots, which exclude all other chunks. Index: swap_order.
update swap
set
  blockhash = coalesce(swap.blockhash, whole.blockhash),
  outside_protocol_bps = coalesce(swap.outside_protocol_bps, whole.outside_protocol_bps),
  outside_creator_bps = coalesce(swap.outside_creator_bps, whole.outside_creator_bps)
from unnest(
  $1::bigint[], $2::bigint[], $3::integer[], $4::smallint[], $5::text[], $6::text[], $7::text[],
  $8::boolean[], $9::bigint[], $10::bigint[], $11::text[], $12::smallint[], $13::smallint[]
) as whole (
  slot, block_tx_index, ix_index, dex, signature, pair_address, user_address, is_buy, sol_amount,
  token_amount, blockhash, outside_protocol_bps, outside_creator_bps
)
join wallet on wallet.address = whole.user_address
join pool on pool.pair_address = whole.pair_address
where swap.slot = whole.slot
  and swap.block_tx_index = whole.block_tx_index
  and swap.ix_index = whole.ix_index
  and swap.dex = whole.dex
  and swap.signature = whole.signature
  and swap.pool_id = pool.id
  and swap.wallet_id = wallet.id
  and swap.is_buy = whole.is_buy
  and swap.sol_amount = whole.sol_amount
  and swap.token_amount = whole.token_amount
  and swap.slot between $14::bigint and $15::bigint

-- name: pool/set_chunk_width
-- Sets the width of future chunks of `swap`, and the duration of chunks of its minute tables to the same, at 0.4 s a
-- slot, but a day at least. $1 bigint: slots. Serialized: of lanes that change the same row of TimescaleDB's catalogue
-- at once it refuses all but one, with an error that is not transient.
with alone as materialized (
  select pg_advisory_xact_lock(hashtextextended('chunk_width', 0))
)
select
  set_chunk_time_interval('swap', $1::bigint),
  set_chunk_time_interval('candle_1m', greatest(86400000, $1::bigint * 400)),
  set_chunk_time_interval('trader_minute', greatest(86400000, $1::bigint * 400))
from alone
