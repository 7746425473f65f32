-- Moves the pool events of a slot in pools to the retracted ones. $1 bigint: slot, $2 integer[]: pool ids. Index:
-- pool_event_order.
with taken as (
  delete from pool_event
  where slot = $1 and pool_id = any ($2::integer[])
  returning
    pool_id, slot, block_tx_index, ix_index, timestamp_ms, dex, event, signature, creator, from_pair,
    sol_amount, token_amount
)
insert into retracted_pool_event (
  pool_id, slot, block_tx_index, ix_index, timestamp_ms, dex, event, signature, creator, from_pair,
  sol_amount, token_amount
)
select
  pool_id, slot, block_tx_index, ix_index, timestamp_ms, dex, event, signature, creator, from_pair,
  sol_amount, token_amount
from taken
