-- Which of these signatures are stored already, of which pairs, and where.
-- $1 bigint[]: signature hashes. Result: one row a transaction and pool, and more where `copy` says so.
-- Index: swap_signature_key.
select signature_hash, pair_hash, copy, slot, block_tx_index
from swap_signature
where signature_hash = any ($1::bigint[])
