-- Pool events from a slot on, whole slots. $1 bigint: slot, $2 integer: rows.
-- Result: at least $2 where there are so many, and all of the last slot. Index: pool_event_order.
select
  e.event,
  e.signature,
  e.slot,
  e.timestamp_ms as timestamp,
  p.pair_address,
  t.address as token_address,
  e.dex,
  e.block_tx_index,
  e.ix_index,
  e.creator,
  e.from_pair,
  e.sol_amount,
  e.token_amount
from (
  select *
  from pool_event
  where slot >= $1
  order by slot
  fetch first $2 rows with ties
) e
join pool p on p.id = e.pool_id
join token t on t.id = p.token_id
order by e.slot, e.block_tx_index, e.ix_index, e.dex, e.signature, e.event
