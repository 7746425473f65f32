-- Forgets signatures of a slot. $1 bigint: slot; pairwise: $2 bigint[] signature hash, $3 integer[] pair hash. Index:
-- swap_signature_key.
delete from swap_signature
using unnest($2::bigint[], $3::integer[]) as gone (signature_hash, pair_hash)
where swap_signature.signature_hash = gone.signature_hash
  and swap_signature.pair_hash = gone.pair_hash
  and swap_signature.slot = $1
