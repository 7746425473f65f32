-- name: sealed-history/read_segments
-- The state of sealed history. Result: one row; version: of sealed history; segments: by first slot; since_slot, since_ms: where
-- stored swaps begin, null where none was dropped. Index: none, a row a segment.
select
  (select since_slot from history_bound) as since_slot,
  (select since_ms from history_bound) as since_ms,
  (select coalesce(sum(version), 0)::bigint from history_version) as version,
  coalesce(
    (
      select json_agg(
        json_build_object(
          'id', id, 'firstSlot', first_slot, 'lastSlot', last_slot, 'format', format, 'rowCount', row_count,
          'signatureBits', signature_bits, 'walletBits', wallet_bits, 'goneCount', gone_count
        )
        order by first_slot
      )
      from segment
    ),
    '[]'::json
  ) as segments

-- name: sealed-history/read_version
-- How often sealed history changed. Result: one row. Index: none, a row a writer.
select coalesce(sum(version), 0)::bigint as version from history_version

-- name: sealed-history/list_blocks
-- The blocks that hold runs of rows of segments. Pairwise: $1 integer[] segment id, $2 $3 integer[] first and last row number.
-- Result: each block once. Index: swap_block_pkey, two probes a run.
select block.segment_id, block.first_row, block.bytes
from (
  select distinct wanted.segment_id, found.first_row
  from unnest($1::integer[], $2::integer[], $3::integer[]) as wanted (segment_id, first_row, last_row)
  cross join lateral (
    (
      select first_row
      from swap_block
      where segment_id = wanted.segment_id and first_row <= wanted.first_row
      order by first_row desc
      limit 1
    )
    union all
    select first_row
    from swap_block
    where segment_id = wanted.segment_id and first_row > wanted.first_row and first_row <= wanted.last_row
  ) as found
) as wanted
cross join lateral (
  select segment_id, first_row, bytes
  from swap_block
  where swap_block.segment_id = wanted.segment_id and swap_block.first_row = wanted.first_row
  offset 0
) as block

-- name: sealed-history/list_gone
-- Rows of a segment that no longer count. $1 integer: segment id, $2 integer[]: row numbers to look at. Index: swap_gone_pkey.
select row_number from swap_gone where segment_id = $1 and row_number = any ($2::integer[])

-- name: sealed-history/list_postings
-- Postings of segments. Pairwise: $1 integer[] segment id, $2 smallint[] kind, $3 integer[] bucket. Result: all parts of
-- each that there is. Index: swap_posting_pkey.
select posting.segment_id, posting.kind, posting.bucket, posting.part, posting.bytes
from unnest($1::integer[], $2::smallint[], $3::integer[]) as wanted (segment_id, kind, bucket)
cross join lateral (
  select segment_id, kind, bucket, part, bytes
  from swap_posting
  where segment_id = wanted.segment_id and kind = wanted.kind and bucket = wanted.bucket
  offset 0
) as posting

-- name: sealed-history/list_posting_page
-- Postings of one kind of a segment, {words}. $1 integer: segment id, $2 smallint: kind, $3 $4 integer: first and last
-- bucket, $5 integer: how many. Index: swap_posting_pkey.
-- variant asc: words = by ascending bucket; order = asc
-- variant desc: words = by descending bucket; order = desc
select segment_id, kind, bucket, part, bytes
from swap_posting
where segment_id = $1 and kind = $2 and bucket between $3 and $4
order by segment_id {order}, kind {order}, bucket {order}, part {order}
limit $5

-- name: sealed-history/list_part_page
-- Parts of a posting, {words}. $1 integer: segment id, $2 smallint: kind, $3 integer: bucket, $4 $5 integer: first and last
-- part, $6 integer: how many. Index: swap_posting_pkey.
-- variant asc: words = by ascending number; order = asc
-- variant desc: words = by descending number; order = desc
select segment_id, kind, bucket, part, bytes
from swap_posting
where segment_id = $1 and kind = $2 and bucket = $3 and part between $4 and $5
order by segment_id {order}, kind {order}, bucket {order}, part {order}
limit $6

-- name: sealed-history/list_pair_addresses
-- Addresses of pools. $1 integer[]: ids. Index: pool_pkey.
select id, pair_address from pool where id = any ($1::integer[])

-- name: sealed-history/list_touched_pools
-- The pools that pool events and retractions touch in slots. Pairwise: $1 bigint[] first, $2 bigint[] last slot of runs.
-- Result: run: from 1 on. Indexes: pool_event_order, retracted_swap_order, retracted_pool_event_order.
select run.run::integer, touched.pool_id
from unnest($1::bigint[], $2::bigint[]) with ordinality as run (first_slot, last_slot, run)
cross join lateral (
  select pool_id from pool_event where slot between run.first_slot and run.last_slot
  union
  select pool_id from retracted_pool_event where slot between run.first_slot and run.last_slot
  union
  select pool_id from retracted_swap where slot between run.first_slot and run.last_slot
) as touched

-- name: sealed-history/list_wallet_ids
-- Ids of wallets. $1 text[]: addresses. Index: wallet_address_key.
select id from wallet where address = any ($1::text[])

-- name: sealed-history/list_wallet_addresses
-- Addresses of wallets. $1 integer[]: ids. Index: wallet_pkey.
select id, address as wallet_address from wallet where id = any ($1::integer[])

-- name: sealed-history/list_segment_gone
-- All rows of a segment that no longer count. $1 integer: segment id. Index: swap_gone_pkey.
select row_number from swap_gone where segment_id = $1
