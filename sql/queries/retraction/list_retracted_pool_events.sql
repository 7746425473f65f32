-- Pool events that a transaction retracted. $1 bigint: slot, $2 text: transaction (xid8). Index:
-- retracted_pool_event_order.
select
  {+stored_pool_event_columns}
from retracted_pool_event as pool_event
join pool on pool.id = pool_event.pool_id
join token on token.id = pool.token_id
where pool_event.slot = $1 and pool_event.xmin = $2::xid8::xid
