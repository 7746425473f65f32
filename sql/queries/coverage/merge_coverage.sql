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
