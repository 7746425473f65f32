-- Adds a run of slots, merged with those of its key that it touches. $1 integer: venues, $2 integer: decoder version,
-- $3 text: source, $4 text: commitment, $5 bigint, $6 bigint: first and last slot, $7 bigint[], $8 integer[]: slots with
-- swaps and their number. Swaps of slots that the key covers already are not counted again. Index: coverage_pkey.
with touched as (
  delete from coverage
  where venues = $1 and decoder_version = $2 and source = $3 and commitment = $4
    and from_slot <= $6::bigint + 1 and to_slot >= $5::bigint - 1
  returning from_slot, to_slot, swaps
), added as (
  select coalesce(sum(swaps), 0) as swaps
  from unnest($7::bigint[], $8::integer[]) as counted (slot, swaps)
  where not exists (select from touched where slot between from_slot and to_slot)
)
insert into coverage (venues, decoder_version, source, commitment, from_slot, to_slot, swaps)
select
  $1, $2, $3, $4, least($5, min(from_slot)), greatest($6, max(to_slot)),
  coalesce(sum(touched.swaps), 0) + (select swaps from added)
from touched
