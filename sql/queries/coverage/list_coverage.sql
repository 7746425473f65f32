-- All runs of slots, ascending. Reads the whole table: neighbours are merged, so it has few rows.
select from_slot, to_slot, venues, decoder_version, source, commitment, swaps, updated_at
from coverage
order by from_slot, to_slot, venues, decoder_version, source, commitment
