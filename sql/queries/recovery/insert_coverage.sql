-- Stores the runs of slots of a backup in an empty table. $1 jsonb: an array of objects with the names of the columns.
insert into coverage (venues, decoder_version, source, commitment, from_slot, to_slot, swaps)
select venues, decoder_version, source, commitment, from_slot, to_slot, swaps
from jsonb_to_recordset($1::jsonb) as run (
  venues integer, decoder_version smallint, source text, commitment text,
  from_slot bigint, to_slot bigint, swaps bigint
)
