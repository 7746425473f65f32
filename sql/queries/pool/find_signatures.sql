-- Which of these signatures are stored already, of which pairs, and where.
-- $1 bigint[]: signature hashes. Result: one row a transaction and pool, and more where `copy` says so.
-- Index: swap_signature_key, a probe for each hash. Asked for all at once, the planner reads the whole
-- table as long as nobody has analyzed it: it takes a hash to be one of 200.
select stored.*
from (select distinct hash from unnest((select $1::bigint[])) as given (hash)) as wanted
cross join lateral (
  select signature_hash, pair_hash, copy, slot, block_tx_index
  from swap_signature
  where signature_hash = wanted.hash
  offset 0
) as stored
