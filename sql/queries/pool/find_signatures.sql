-- Which of these signatures are stored already, of which pairs, and where.
-- $1 bigint[]: signature hashes. Result: one row a transaction and pool. Index: swap_signature_hash.
select signature_hash, pair_hash, slot, block_tx_index
from swap_signature
where signature_hash = any ($1::bigint[])
