-- The pool events that a transaction stored; one that only named the block of a row is another (nameBlocks).
-- $1 text: transaction (xid8); pairwise: $2 bigint[] first, $3 bigint[] last slot of the runs that hold them. Index:
-- pool_event_order.
select
  {+stored_pool_event_columns}
from unnest($2::bigint[], $3::bigint[]) as run (first_slot, last_slot)
join pool_event on pool_event.slot between run.first_slot and run.last_slot
join pool on pool.id = pool_event.pool_id
join token on token.id = pool.token_id
where pool_event.xmin = $1::xid8::xid
