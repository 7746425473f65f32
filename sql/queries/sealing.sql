-- name: sealing/bump_version
-- Counts a change of sealed history by the sealer. Index: history_version_pkey.
insert into history_version (writer, version) values (-1, 1)
on conflict (writer) do update set version = history_version.version + 1

-- name: sealing/count_segment_gone
-- Rows of a segment that no longer count, and those of them that it does not have. $1 integer: its id; $2 integer: its rows.
-- Index: swap_gone_pkey.
select
  count(*)::integer as gone,
  (count(*) filter (where row_number < 0 or row_number >= $2))::integer as beyond
from swap_gone
where segment_id = $1

-- name: sealing/delete_segment
-- Deletes a segment with its blocks and postings. $1 integer: its id. Indexes: the primary keys.
with blocks as (
  delete from swap_block where segment_id = $1
),
postings as (
  delete from swap_posting where segment_id = $1
),
gone as (
  delete from swap_gone where segment_id = $1
)
delete from segment where id = $1

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

-- name: sealing/drop_chunk
-- Drops one chunk of `swap`. $1 $2 bigint: first slot of its range, and the slot after it.
select drop_chunks('swap', older_than => $2::bigint, newer_than => $1::bigint)

-- name: sealing/find_chunk_bytes
-- Bytes of the heap of a chunk. $1 text: its quoted name.
select pg_relation_size($1::regclass)::bigint as bytes

-- name: sealing/find_cut
-- The slot of the row after so many of a run of slots. $1 $2 bigint: first and last slot; $3 integer: rows. No row where it has
-- no more. Index: swap_order.
select slot from swap where slot between $1 and $2 order by slot offset $3 limit 1

-- name: sealing/find_limit
-- The last slot before which every run of 10,000 slots ended before a time; null where all did. $1 bigint: Unix ms. Index: the
-- rows of one width of slot_span are read.
select min(bucket) - 1 as slot from slot_span where width = 10000 and last_ms >= $1

-- name: sealing/find_next_run
-- The first run of slots with swaps that no segment has, within one chunk of `swap`. $1 $2 bigint: first and last slot. Result:
-- its first and last slot, and the last slot of the chunk. Index: segment_first_slot, swap_order.
with gap as (
  select
    greatest($1::bigint, lag(last_slot, 1, -1::bigint) over (order by first_slot) + 1) as low,
    least($2::bigint, first_slot - 1) as high
  from (
    select first_slot, last_slot from segment
    union all
    select 9223372036854775807, 9223372036854775807
  ) as bound
)
select found.slot as low, least(gap.high, chunk.range_end_integer - 1) as high, chunk.range_end_integer - 1 as chunk_end
from gap
cross join lateral (
  select slot from swap where slot between gap.low and gap.high order by slot limit 1
) as found
join timescaledb_information.chunks as chunk
  on chunk.hypertable_schema = current_schema() and chunk.hypertable_name = 'swap'
  and found.slot >= chunk.range_start_integer and found.slot < chunk.range_end_integer
where gap.low <= gap.high
order by found.slot
limit 1

-- name: sealing/find_next_slot
-- The first slot with a swap in a run of slots. $1 $2 bigint: first and last. No row without one. Index: swap_order.
select slot from swap where slot between $1 and $2 order by slot limit 1

-- name: sealing/find_overlap
-- A segment with slots of a run. $1 $2 bigint: first and last slot; $3 integer: id of a segment that is replaced, or null. Index:
-- none, a row a segment.
select id, first_slot, last_slot
from segment
where last_slot >= $1 and first_slot <= $2 and id is distinct from $3::integer
limit 1

-- name: sealing/find_pending
-- Why swaps of a run of slots cannot be sealed yet: cause and reason; no row without such. $1 $2 bigint: first and last slot. Index: none;
-- small tables.
select cause, reason
from (
  select 'unpublished_commit' as cause, 'a commit of a pool lane is not published' as reason
  from checkpoint
  cross join lateral unnest(first_slots, last_slots) as run (first_slot, last_slot)
  where actor = 'pool' and run.first_slot <= $2 and run.last_slot >= $1
  union all
  select 'pool_repair', 'swaps of a pool are being repaired' from pool_repair
  union all
  select 'retraction', 'a retraction is not applied' from retraction where not is_applied and slot between $1 and $2
) as pending
limit 1

-- name: sealing/find_waiting
-- Whether another session waits for a lock of this one. Result: one row.
select exists (
  select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))
) as is_waited_for

-- name: sealing/find_worn
-- The segment of which most rows are gone or came later, where more than so many a thousand are. Rows of `swap` that are older
-- than the segment stay there. $1 integer: a thousandth of rows. Index: swap_order; as many rows of each segment are read.
select id
from (
  select
    segment.id,
    (segment.gone_count + (
      select count(*)
      from (
        select
        from swap
        where swap.slot between segment.first_slot and segment.last_slot and age(swap.xmin) >= 0 and age(swap.xmin) < age(segment.xmin)
        limit 1 + segment.row_count::bigint * $1::integer / 1000
      ) as late
    )) * 1000.0 / segment.row_count as worn
  from segment
) as each_segment
where worn > $1::integer
order by worn desc
limit 1

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
select id, pair_address from pool where id = any ($1::integer[])

-- name: sealing/list_sealed_chunks
-- Chunks of `swap` up to the newest sealed slot. name: quoted; first_slot, end_slot: of its range; row_count: rows that this
-- snapshot sees, up to $1 integer; bytes: with its indexes. Index: none, each chunk is read up to so many rows.
select
  chunk.name, chunk.first_slot, chunk.end_slot,
  (
    select count(*)::integer
    from (select from swap where slot >= chunk.first_slot and slot < chunk.end_slot limit $1) as found
  ) as row_count,
  pg_total_relation_size(chunk.name::regclass)::bigint as bytes
from (
  select
    format('%I.%I', chunk_schema, chunk_name) as name, range_start_integer as first_slot, range_end_integer as end_slot
  from timescaledb_information.chunks
  where hypertable_schema = current_schema() and hypertable_name = 'swap'
) as chunk
where chunk.end_slot <= (select max(last_slot) from segment)
order by chunk.first_slot

-- name: sealing/move_rows
-- Stores the rows of a chunk of `swap` that are in its later pages again, in the first free ones. $1 $2 bigint: first slot of its
-- range, and the slot after it; $3 integer: number of the first of these pages. Result: one row. Index: none, the later pages are read.
with moved as (
  delete from swap where slot >= $1 and slot < $2 and ctid >= format('(%s,0)', $3::integer)::tid returning *
),
stored as (
  insert into swap select * from moved returning 1
)
select count(*)::integer as row_count from stored

-- name: sealing/list_segment_blocks
-- A page of the blocks of a segment. $1 integer: its id; $2 integer: first row to continue after; $3 integer: how many. Index:
-- swap_block_pkey.
select first_row, bytes from swap_block where segment_id = $1 and first_row > $2 order by first_row limit $3

-- name: sealing/list_segment_postings
-- All postings of a segment. $1 integer: its id. Index: swap_posting_pkey.
select kind, bucket, part, bytes from swap_posting where segment_id = $1

-- name: sealing/list_segments
-- All segments by slot. Index: segment_first_slot.
select id, first_slot, last_slot, row_count, block_count, gone_count, content_hash from segment order by first_slot

-- name: sealing/list_wallets
-- Addresses of wallets. $1 integer[]: ids. Index: wallet_pkey.
select id, address as wallet_address from wallet where id = any ($1::integer[])

-- name: sealing/lock_sealer
-- Whether this session may seal: one at a time.
select pg_try_advisory_lock(hashtextextended('sealer', 0)) as is_taken

-- name: sealing/read_bounds
-- Where sealed history ends. boundary_age_ms: since the last swap of the last sealed slot's run of 100 slots; late_rows: rows
-- of `swap` at or below the last sealed slot: of its chunk counted up to $1 integer, of earlier chunks as the server's statistics
-- have them. Result: one row; an age of null where no swap of that run is known, and where nothing is sealed. Indexes:
-- segment_first_slot, slot_span_pkey, swap_order.
with sealed as (
  select max(last_slot) as last_slot from segment
),
chunk as (
  select
    range_start_integer as first_slot, range_end_integer as end_slot,
    to_regclass(format('%I.%I', chunk_schema, chunk_name)) as heap
  from timescaledb_information.chunks
  where hypertable_schema = current_schema() and hypertable_name = 'swap'
)
select
  (
    select ((extract(epoch from clock_timestamp()) * 1000)::bigint - max(span.last_ms))
    from slot_span as span
    where span.width = 100 and span.bucket = sealed.last_slot / 100 * 100
  ) as boundary_age_ms,
  (
    select count(*)
    from chunk
    cross join lateral (
      select from swap where slot between chunk.first_slot and sealed.last_slot limit $1
    ) as late
    where sealed.last_slot >= chunk.first_slot and sealed.last_slot < chunk.end_slot
  )
  + (
    select coalesce(sum(pg_stat_get_live_tuples(chunk.heap)), 0)::bigint
    from chunk
    where chunk.end_slot <= sealed.last_slot
  ) as late_rows
from sealed

-- name: sealing/read_history
-- Sums over all segments. sealed_at: of the newest seal; bytes: of blocks and postings with their indexes, also of free space.
-- Result: one row.
select
  count(*)::integer as segments,
  coalesce(sum(row_count), 0)::bigint as rows,
  coalesce(sum(gone_count), 0)::bigint as gone,
  min(first_slot) as first_slot,
  max(last_slot) as last_slot,
  max(sealed_at) as sealed_at,
  pg_total_relation_size('swap_block')::bigint + pg_total_relation_size('swap_posting')::bigint as bytes
from segment

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
