-- Pool events of a window of time with few events, of any pool, {words}.
-- $1 bigint, $2 bigint, $3 integer, $4 integer: slot, block_tx_index, ix_index, dex {side} which the list continues; $5
-- integer: rows; null for any: $6 smallint: dex, $7 text: event,
-- $8 bigint, $9 bigint: first and last timestamp_ms, not null.
-- Result: events by their wire names, at least $5 if so many exist, and with the last one all that tie with it in
-- (slot, block_tx_index, ix_index, dex). Unordered: the caller sorts.
-- Index: pool_event_time; all of the window are read and sorted.
-- variant asc: words = oldest first; side = above; order = asc; beyond = >
-- variant desc: words = newest first; side = below; order = desc; beyond = <
with timed as materialized (
  select * from pool_event where timestamp_ms between $8 and $9
)
select
  {+served_event_columns},
  p.pair_address
from (
  select *
  from timed
  where (slot, block_tx_index, ix_index, dex) {beyond} ($1, $2::bigint, $3::integer, $4::integer)
    and ($6::smallint is null or dex = $6)
    and ($7::text is null or event = $7)
  order by slot {order}, block_tx_index {order}, ix_index {order}, dex {order}
  fetch first $5 rows with ties
) e
join pool p on p.id = e.pool_id
join token t on t.id = p.token_id
