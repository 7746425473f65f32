-- Stored pool events of these signatures, for telling a second delivery from a new event.
-- $1 text[]: signatures. Index: the unique key of pool_event. An array that comes out of a select looks
-- alike to the planner, however long: it makes one plan for all.
select
  pool_event.slot, pool_event.block_tx_index, pool_event.ix_index, pool_event.timestamp_ms,
  pool_event.dex, pool_event.event, pool_event.signature, pool_event.creator, pool_event.from_pair,
  pool_event.sol_amount, pool_event.token_amount, pool.pair_address, token.address as token_address
from pool_event
join pool on pool.id = pool_event.pool_id
join token on token.id = pool.token_id
where pool_event.signature = any ((select $1::text[])::text[])
