-- Gives the copy 0 of a signature and pair, which refuses a second delivery, to the least that is left. Pairwise:
-- $1 bigint[] signature hash, $2 integer[] pair hash. Index: swap_signature_key.
update swap_signature
set copy = 0
from (
  select stored.signature_hash, stored.pair_hash, min(stored.copy) as copy
  from unnest($1::bigint[], $2::integer[]) as gone (signature_hash, pair_hash)
  join swap_signature as stored
    on stored.signature_hash = gone.signature_hash and stored.pair_hash = gone.pair_hash
  group by stored.signature_hash, stored.pair_hash
) as least
where swap_signature.signature_hash = least.signature_hash
  and swap_signature.pair_hash = least.pair_hash
  and swap_signature.copy = least.copy
  and least.copy > 0
