-- name: coverage/delete_old_blocks
-- Blocks before the newest slots. $1 integer: number of newest slots whose blocks stay listed. Index: coverage_block_pkey.
delete from coverage_block where slot <= (select max(to_slot) from coverage) - $1::integer

-- name: coverage/delete_old_links
-- Blocks before a slot, which no fork reaches. $1 bigint: slot. Index: chain_link_pkey.
delete from chain_link where slot < $1

-- name: coverage/find_unlisted_block
-- The first covered slot whose newest published block is not the one that coverage lists: its run ended between the two.
-- slot is null without one. $1 bigint: slots before it, $2 integer: venues. Indexes: coverage_block_pkey; reads all of
-- chain_link and coverage, which have few rows.
select min(link.slot) as slot
from chain_link as link
where link.slot < $1::bigint
  and exists (
    select from coverage
    where link.slot between coverage.from_slot and coverage.to_slot and coverage.venues & $2::integer <> 0
  )
  and $2::integer <> (
    select coalesce(bit_or(block.venues), 0) & $2::integer from coverage_block as block
    where block.slot = link.slot and block.blockhash = link.blockhash
  )

-- name: coverage/insert_link
-- Stores a block, instead of another one of its slot, which becomes a former one. $1 bigint slot, $2 text blockhash,
-- $3 bigint parent_slot, $4 text parent_blockhash. Index: chain_link_pkey.
insert into chain_link as stored (slot, blockhash, parent_slot, parent_blockhash)
values ($1, $2, $3, $4)
on conflict (slot) do update
set blockhash = excluded.blockhash, parent_slot = excluded.parent_slot,
  parent_blockhash = excluded.parent_blockhash,
  former_blockhashes = array_remove(
    array_append(array_remove(stored.former_blockhashes, stored.blockhash), stored.blockhash),
    excluded.blockhash
  )

-- name: coverage/list_coverage
-- All runs of slots, ascending. Reads the whole table: neighbours are merged, so it has few rows.
select from_slot, to_slot, venues, decoder_version, source, commitment, swaps, updated_at
from coverage
order by from_slot, to_slot, venues, decoder_version, source, commitment

-- name: coverage/list_links
-- The newest blocks that a source of chain data published, ascending. Reads the whole table, which has few rows.
select slot, blockhash, parent_slot, parent_blockhash, former_blockhashes from chain_link order by slot

-- name: coverage/lock_coverage
-- One writer of coverage at a time until the end of the transaction, so that neighbours are always merged; readers go on.
lock table coverage in share row exclusive mode

-- name: coverage/merge_coverage
-- Adds a run of slots, merged with those of its key that it touches. $1 integer: venues, $2 integer: decoder version,
-- $3 text: source, $4 text: commitment, $5 bigint, $6 bigint: first and last slot, $7 bigint[], $8 text[], $9 integer[]:
-- the blocks of these slots, by slot and blockhash, with their numbers of swaps; $10 integer: how many of the newest slots
-- are listed with their blocks. A block counts once, with the swaps that were read last, and one that was retracted counts 0. Of
-- a slot that was covered before and is not listed, no block is counted. Indexes: coverage_pkey, coverage_block_pkey,
-- retraction_pkey.
with touched as (
  delete from coverage
  where venues = $1 and decoder_version = $2 and source = $3 and commitment = $4
    and from_slot <= $6::bigint + 1 and to_slot >= $5::bigint - 1
  returning from_slot, to_slot, swaps
), listed as (
  select slot, blockhash, swaps from coverage_block
  where slot between $5::bigint and $6::bigint
    and venues = $1 and decoder_version = $2 and source = $3 and commitment = $4
), block as (
  select * from unnest($7::bigint[], $8::text[], $9::integer[]) as block (slot, blockhash, swaps)
  union all
  select slot, '', 0 from generate_series($5::bigint, $6::bigint) as skipped (slot)
  where slot <> all ($7::bigint[])
), counted as (
  select
    slot, blockhash,
    case
      when exists (
        select from retraction
        where retraction.slot = block.slot and retraction.blockhash in ('', block.blockhash)
      ) then 0
      else swaps
    end as swaps,
    coalesce(
      (select swaps from listed where listed.slot = block.slot and listed.blockhash = block.blockhash), 0
    ) as swaps_before
  from block
  where not exists (select from touched where block.slot between from_slot and to_slot)
    or exists (select from listed where listed.slot = block.slot)
), remembered as (
  insert into coverage_block (slot, blockhash, venues, decoder_version, source, commitment, swaps)
  select slot, blockhash, $1, $2, $3, $4, swaps from counted
  where slot > (select greatest($6::bigint, max(to_slot)) from coverage) - $10::integer
  on conflict (slot, blockhash, venues, decoder_version, source, commitment)
  do update set swaps = excluded.swaps
)
insert into coverage (venues, decoder_version, source, commitment, from_slot, to_slot, swaps)
select
  $1, $2, $3, $4, least($5, min(from_slot)), greatest($6, max(to_slot)),
  coalesce(sum(touched.swaps), 0) + (select coalesce(sum(swaps - swaps_before), 0) from counted)
from touched

-- name: coverage/subtract_block
-- Takes a retracted block out of the ranges that count it; the second time it changes nothing. $1 bigint: slot, $2 text:
-- blockhash ('': every block of the slot). Indexes: coverage_block_pkey, coverage_pkey.
with gone as (
  select * from coverage_block
  where slot = $1 and ($2::text = '' or blockhash = $2) and swaps > 0
), emptied as (
  update coverage_block as block set swaps = 0
  from gone
  where (block.slot, block.blockhash, block.venues, block.decoder_version, block.source, block.commitment)
    = (gone.slot, gone.blockhash, gone.venues, gone.decoder_version, gone.source, gone.commitment)
), lost as (
  select venues, decoder_version, source, commitment, sum(swaps) as swaps from gone
  group by venues, decoder_version, source, commitment
)
update coverage set swaps = coverage.swaps - lost.swaps, updated_at = now()
from lost
where (coverage.venues, coverage.decoder_version, coverage.source, coverage.commitment)
  = (lost.venues, lost.decoder_version, lost.source, lost.commitment)
  and $1 between coverage.from_slot and coverage.to_slot
