-- Deletes the blocks of slots that no run of their key covers any more. Index: coverage_pkey.
delete from coverage_block as block
where not exists (
  select from coverage as run
  where run.venues = block.venues and run.decoder_version = block.decoder_version
    and run.source = block.source and run.commitment = block.commitment
    and block.slot between run.from_slot and run.to_slot
)
