-- Positions of signatures. $1 bigint[]: signature hashes. Index: swap_signature_key.
select signature_hash::text as signature_hash, slot, block_tx_index
from swap_signature
where signature_hash = any ($1::bigint[])
