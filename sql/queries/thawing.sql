-- name: thawing/bump_version
-- Counts up how often a writer changed sealed history. $1 smallint: the pool lane. Index: history_version_pkey.
insert into history_version (writer, version) values ($1::smallint, 1)
on conflict (writer) do update set version = history_version.version + 1

-- name: thawing/count_gone
-- Adds rows that no longer count to their segments, so that a rewrite of these segments at the same time fails. Pairwise:
-- $1 integer[] segment id, $2 integer[] rows. After thawing/lock_segments. Index: segment_pkey.
update segment
set gone_count = segment.gone_count + gone.row_count
from unnest($1::integer[], $2::integer[]) as gone (segment_id, row_count)
where segment.id = gone.segment_id

-- name: thawing/insert_gone
-- Rows of segments that no longer count. Pairwise: $1 integer[] segment id, $2 integer[] row number.
insert into swap_gone (segment_id, row_number)
select * from unnest($1::integer[], $2::integer[])

-- name: thawing/insert_signatures
-- Rows of signatures whose swaps are moved back, each with the next copy of its signature and pair. Pairwise: $1 bigint[]
-- signature hash, $2 integer[] pair hash, $3 bigint[] slot, $4 bigint[] block_tx_index, no two alike. One with its
-- position stored is left out. Index: swap_signature_key.
insert into swap_signature (signature_hash, pair_hash, slot, block_tx_index, copy)
select
  moved.signature_hash, moved.pair_hash, moved.slot, moved.block_tx_index,
  coalesce(
    (
      select max(stored.copy) + 1
      from swap_signature as stored
      where stored.signature_hash = moved.signature_hash and stored.pair_hash = moved.pair_hash
    ),
    0
  ) + row_number() over (
    partition by moved.signature_hash, moved.pair_hash order by moved.slot, moved.block_tx_index
  ) - 1
from unnest($1::bigint[], $2::integer[], $3::bigint[], $4::bigint[])
  as moved (signature_hash, pair_hash, slot, block_tx_index)
where not exists (
  select
  from swap_signature as stored
  where stored.signature_hash = moved.signature_hash and stored.pair_hash = moved.pair_hash
    and stored.slot = moved.slot and stored.block_tx_index = moved.block_tx_index
)

-- name: thawing/list_pools_of_mint
-- The pools that have the mint of a pool, itself included, where there are several. Pairwise: $1 integer[] pool id, $2
-- bigint[] slot. Result: one row a pool and slot. Indexes: pool_pkey, pool_token.
select distinct sibling.id as pool_id, wanted.slot
from unnest($1::integer[], $2::bigint[]) as wanted (pool_id, slot)
join pool on pool.id = wanted.pool_id
join pool as sibling on sibling.token_id = pool.token_id
where exists (select from pool as other where other.token_id = pool.token_id and other.id <> pool.id)

-- name: thawing/lock_segments
-- Locks segments, in the order of their ids, so that two lanes never wait crosswise. $1 integer[]: ids. Result: those that
-- are still there. Index: segment_pkey.
select id from segment where id = any ($1::integer[]) order by id for update

-- name: thawing/insert_swaps
-- Swaps that are moved back. Parameters: those of the fragment.
insert into swap (
  {+swap_columns}
)
{+handed_swaps}
