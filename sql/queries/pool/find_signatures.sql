-- Which of these signatures are stored already, and where.
-- $1 bigint[]: signature hashes. Result: distinct (slot, block_tx_index). Index: swap_signature_hash.
select distinct slot, block_tx_index
from swap_signature
where signature_hash = any ($1::bigint[])
