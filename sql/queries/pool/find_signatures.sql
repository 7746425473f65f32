-- Which of these signatures are stored already, of which pairs, and where.
-- $1 bigint[]: signature hashes. Result: one row a transaction and pool; several differ in `copy`.
-- Index: swap_signature_key, a probe for each hash. Joined at once, the planner would read the whole table until it is
-- analyzed: it assumes 200 distinct hashes.
select stored.*
from (select distinct hash from unnest((select $1::bigint[])) as given (hash)) as wanted
cross join lateral (
  select signature_hash, pair_hash, copy, slot, block_tx_index
  from swap_signature
  where signature_hash = wanted.hash
  offset 0
) as stored
