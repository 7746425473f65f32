-- All stored pool events of a slot. $1 bigint: slot. Index: pool_event_order.
select
  {+stored_pool_event_columns},
  pool_event.pool_id, pool.token_id
from pool_event
join pool on pool.id = pool_event.pool_id
join token on token.id = pool.token_id
where pool_event.slot = $1
