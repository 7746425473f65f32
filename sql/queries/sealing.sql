-- name: sealing/bump_version
-- Counts a change of sealed history by the sealer. Index: history_version_pkey.
insert into history_version (writer, version) values (-1, 1)
on conflict (writer) do update set version = history_version.version + 1

-- name: sealing/delete_signatures
-- Forgets the signatures of rows that are sealed. Pairwise: $1 bigint[] signature_hash, $2 integer[] pair_hash, $3 bigint[]
-- slot, $4 bigint[] block_tx_index. Result: keys of these whose other copies may stay. Index: swap_signature_key.
with gone as (
  delete from swap_signature
  using unnest($1::bigint[], $2::integer[], $3::bigint[], $4::bigint[]) as sealed (
    signature_hash, pair_hash, slot, block_tx_index
  )
  where swap_signature.signature_hash = sealed.signature_hash
    and swap_signature.pair_hash = sealed.pair_hash
    and swap_signature.slot = sealed.slot
    and swap_signature.block_tx_index = sealed.block_tx_index
  returning swap_signature.signature_hash, swap_signature.pair_hash
)
select distinct gone.signature_hash, gone.pair_hash
from gone
join swap_signature as other
  on other.signature_hash = gone.signature_hash and other.pair_hash = gone.pair_hash and other.copy > 0

-- name: sealing/delete_swaps
-- Deletes the swaps of a run of slots that are sealed. $1 $2 bigint: first and last slot; those that stay, pairwise:
-- $3 integer[] pool_id, $4 bigint[] slot. Result: one row. Index: swap_order.
with gone as (
  delete from swap
  where slot between $1 and $2
    and (pool_id, slot) not in (select hot.pool_id, hot.slot from unnest($3::integer[], $4::bigint[]) as hot (pool_id, slot))
  returning 1
)
select count(*)::integer as row_count from gone

-- name: sealing/find_next_slot
-- The first slot with a swap in a run of slots. $1 $2 bigint: first and last. No row without one. Index: swap_order.
select slot from swap where slot between $1 and $2 order by slot limit 1

-- name: sealing/find_overlap
-- A segment with slots of a run. $1 $2 bigint: first and last slot. Index: none, a row a segment.
select id, first_slot, last_slot from segment where last_slot >= $1 and first_slot <= $2 limit 1

-- name: sealing/find_waiting
-- Whether another session waits for a lock of this one. Result: one row.
select exists (
  select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))
) as is_waited_for

-- name: sealing/insert_segment
-- $1 integer: id; $2 $3 bigint: first and last slot; $4 smallint: format; $5 $6 integer: rows and blocks; $7 $8 smallint:
-- bits of the buckets of signatures and wallets; $9 text: hash of the rows.
insert into segment (
  id, first_slot, last_slot, format, row_count, block_count, signature_bits, wallet_bits, content_hash
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)

-- name: sealing/list_hot
-- Swaps that functions of the database read, by pool and slot: those of the last slot of a minute where another pool of the
-- mint ends the minute in that slot (last_place), and those of the first slot of a pool where another one of the mint
-- began or was created in that slot (first_of_pools). $1 $2 bigint: first and last slot; $3 $4 bigint: first and last minute of their swaps, Unix ms. Indexes:
-- pool_first_slot, pool_token, pool_event_pool; the minutes of a chunk of candle_1m are read.
select minute.pool_id, minute.last_slot as slot
from (
  select
    candle.pool_id, candle.last_slot,
    count(*) over (partition by pool.token_id, candle.bucket_ms, candle.last_slot) as tied_count
  from candle_1m as candle
  join pool on pool.id = candle.pool_id
  where candle.bucket_ms between $3 and $4 and candle.last_slot between $1 and $2
) as minute
where minute.tied_count > 1
union
select pool.id, pool.first_slot
from pool
where pool.first_slot between $1 and $2
  and exists (
    select from pool as other
    where other.token_id = pool.token_id and other.id <> pool.id
      and (
        other.first_slot = pool.first_slot
        or exists (
          select from pool_event
          where pool_event.pool_id = other.id and pool_event.slot = pool.first_slot and pool_event.event = 'created'
        )
      )
  )

-- name: sealing/list_pairs
-- Addresses of pools. $1 integer[]: ids. Index: pool_pkey.
select id, pair_address as address from pool where id = any ($1::integer[])

-- name: sealing/list_wallets
-- Addresses of wallets. $1 integer[]: ids. Index: wallet_pkey.
select id, address from wallet where id = any ($1::integer[])

-- name: sealing/renumber_copies
-- The least of the copies that stay of a key is its copy 0, which the next row of that key must not get. Pairwise:
-- $1 bigint[] signature_hash, $2 integer[] pair_hash. Index: swap_signature_key.
update swap_signature
set copy = 0
from (
  select stored.signature_hash, stored.pair_hash, min(stored.copy) as copy
  from swap_signature as stored
  join unnest($1::bigint[], $2::integer[]) as key (signature_hash, pair_hash)
    on stored.signature_hash = key.signature_hash and stored.pair_hash = key.pair_hash
  group by stored.signature_hash, stored.pair_hash
) as least
where swap_signature.signature_hash = least.signature_hash
  and swap_signature.pair_hash = least.pair_hash
  and swap_signature.copy = least.copy
  and least.copy > 0

-- name: sealing/take_segment_id
-- The id of the next segment. Result: one row.
select nextval('segment_ids')::integer as id
