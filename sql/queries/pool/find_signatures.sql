-- Which of these signatures may be stored already for one of these pairs, and where.
-- $1 bigint[]: signature hashes, $2 integer[]: hashes of the pairs they are of.
-- Result: distinct (slot, block_tx_index). Index: swap_signature_hash.
select distinct slot, block_tx_index
from swap_signature
where signature_hash = any ($1::bigint[])
  and pair_hash = any ($2::integer[])
