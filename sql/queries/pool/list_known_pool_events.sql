-- Stored pool events of these signatures, to distinguish a second delivery from a new event.
-- $1 text[]: signatures. Index: the unique key of pool_event. For an array that is the result of a select the planner
-- makes one plan for all lengths.
select
  pool_event.slot, pool_event.block_tx_index, pool_event.ix_index, pool_event.timestamp_ms,
  pool_event.dex, pool_event.event, pool_event.signature, pool_event.creator, pool_event.from_pair,
  pool_event.sol_amount, pool_event.token_amount, pool.pair_address, token.address as token_address
from pool_event
join pool on pool.id = pool_event.pool_id
join token on token.id = pool.token_id
where pool_event.signature = any ((select $1::text[])::text[])
