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
