-- Pools of a pair account, of a mint, or of both, with the slots of their first and their newest swap, and the first and
-- last slot that swaps of any pool may have, as in swaps/read_slot_bounds.
-- $1 text: pair address, $2 text: mint; null for any, never both.
-- Index: pool_pair_address_token_id_key or pool_token, each read only where it is requested; slot_span_pkey, both ends.
select own.id, own.first_slot, own.last_slot, bounds.low_slot, bounds.high_slot
from (
  select id, first_slot, last_slot
  from pool
  where pair_address = $1
    and ($2::text is null or token_id = (select id from token where address = $2))
  union all
  select id, first_slot, last_slot
  from pool
  where $1::text is null and token_id = (select id from token where address = $2)
) as own
cross join (
  select min(bucket) as low_slot, max(bucket) + least(9999, 9007199254740991 - max(bucket)) as high_slot
  from slot_span
  where width = 10000
) as bounds
