-- The id of a wallet that ever traded, and the first and last slot that swaps of any wallet may have, as in
-- swaps/read_slot_bounds.
-- $1 text: address. Index: wallet_address_key; slot_span_pkey, both ends.
select wallet.id, bounds.low_slot, bounds.high_slot
from wallet
cross join (
  select min(bucket) as low_slot, max(bucket) + least(9999, 9007199254740991 - max(bucket)) as high_slot
  from slot_span
  where width = 10000
) as bounds
where wallet.address = $1
