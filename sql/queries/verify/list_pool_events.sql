-- All events of a pool in chain order. $1 integer: pool id. Index: pool_event_pool.
select slot, block_tx_index, ix_index, timestamp_ms, dex, event, signature, creator, from_pair,
  sol_amount, token_amount
from pool_event
where pool_id = $1
order by slot, block_tx_index, ix_index, signature, event
