-- Stored pool events of these signatures, to distinguish a second delivery from a new event.
-- $1 text[]: signatures. Index: the unique key of pool_event. For an array that is the result of a select the planner
-- makes one plan for all lengths.
select
  {+stored_pool_event_columns}
from pool_event
join pool on pool.id = pool_event.pool_id
join token on token.id = pool.token_id
where pool_event.signature = any ((select $1::text[])::text[])
