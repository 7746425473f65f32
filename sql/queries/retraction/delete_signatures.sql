-- Forgets signatures of transactions in a slot. $1 bigint: slot; pairwise: $2 bigint[] signature hash, $3 integer[] pair
-- hash, $4 bigint[] block_tx_index. Index: swap_signature_key.
delete from swap_signature
using unnest($2::bigint[], $3::integer[], $4::bigint[]) as gone (signature_hash, pair_hash, block_tx_index)
where swap_signature.signature_hash = gone.signature_hash
  and swap_signature.pair_hash = gone.pair_hash
  and swap_signature.slot = $1
  and swap_signature.block_tx_index = gone.block_tx_index
