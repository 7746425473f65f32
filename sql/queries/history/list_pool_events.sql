-- Pool events after a slot, whole slots. $1 bigint: slot, $2 bigint: last slot, $3 integer: rows;
-- $4 smallint[]: venues, null for all; $5 bigint, $6 bigint: first and last timestamp_ms.
-- Result: at least $3 if so many exist, and all of the last slot. Unordered: the caller sorts.
-- Index: pool_event_order.
select
  {+stored_pool_event_columns}
from (
  select *
  from pool_event
  where slot > $1 and slot <= $2
    and ($4::smallint[] is null or dex = any ($4))
    and timestamp_ms between $5 and $6
  order by slot
  fetch first $3 rows with ties
) pool_event
join pool on pool.id = pool_event.pool_id
join token on token.id = pool.token_id
