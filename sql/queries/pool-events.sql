-- name: pool-events/count_between
-- How many pool events a window of time has, as far as that matters.
-- $1 bigint, $2 bigint: first and last timestamp_ms; $3 integer: the most to count. Index: pool_event_time.
select count(*)::integer as event_count
from (
  select from pool_event where timestamp_ms between $1 and $2 limit $3
) as counted

-- name: pool-events/list_events
-- Pool events of any pool, {words}.
-- $1 bigint, $2 bigint, $3 integer, $4 integer: slot, block_tx_index, ix_index, dex {side} which the list continues; $5
-- integer: rows; null for any: $6 smallint: dex, $7 text: event,
-- $8 bigint, $9 bigint: first and last timestamp_ms; $10 integer: ms to search for matches.
-- Result: events by their wire names, at least $5 if so many exist, and with the last one all that tie with it in
-- (slot, block_tx_index, ix_index, dex). Unordered: the caller sorts.
-- $10 ms after the first mismatch all later events are returned, so that the caller knows how far the search came.
-- Index: pool_event_order.
-- variant asc: words = oldest first; side = above; order = asc; beyond = >
-- variant desc: words = newest first; side = below; order = desc; beyond = <
select
  {+served_event_columns},
  p.pair_address
from (
  select *
  from pool_event
  where (slot, block_tx_index, ix_index, dex) {beyond} ($1, $2::bigint, $3::integer, $4::integer)
    and (
      ($6::smallint is null or dex = $6)
      and ($7::text is null or event = $7)
      and ($8::bigint is null or timestamp_ms >= $8)
      and ($9::bigint is null or timestamp_ms <= $9)
      or clock_timestamp() >= (select clock_timestamp() + $10::integer * interval '1 millisecond')
    )
  order by slot {order}, block_tx_index {order}, ix_index {order}, dex {order}
  fetch first $5 rows with ties
) e
join pool p on p.id = e.pool_id
join token t on t.id = p.token_id

-- name: pool-events/list_events_between
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

-- name: pool-events/list_events_of_pools
-- Pool events of some pools, {words}.
-- $1 bigint, $2 bigint, $3 integer, $4 integer: slot, block_tx_index, ix_index, dex {side} which the list continues; $5
-- integer: rows; null for any: $6 smallint: dex, $7 text: event,
-- $8 bigint, $9 bigint: first and last timestamp_ms,
-- $10 integer: ms to search for matches; $11 integer[]: pool ids.
-- Result: events by their wire names, at least $5 if so many exist, and with the last one all that tie with it in
-- (slot, block_tx_index, ix_index, dex). Unordered: the caller sorts.
-- $10 ms after the first mismatch all later events are returned, so that the caller knows how far the search came.
-- Index: pool_event_pool.
-- variant asc: words = oldest first; side = above; order = asc; beyond = >
-- variant desc: words = newest first; side = below; order = desc; beyond = <
select
  {+served_event_columns},
  e.pair_address
from (
  select event_of_pool.*, p.pair_address, p.token_id
  from pool p
  cross join lateral (
    select *
    from pool_event
    where pool_id = p.id
      and (slot, block_tx_index, ix_index) {beyond}= ($1, $2::bigint, $3::integer)
      and (slot, block_tx_index, ix_index, dex) {beyond} ($1, $2::bigint, $3::integer, $4::integer)
      and ($8::bigint is null or timestamp_ms >= $8)
      and ($9::bigint is null or timestamp_ms <= $9)
      and (
        ($6::smallint is null or dex = $6) and ($7::text is null or event = $7)
        or clock_timestamp() >= (select clock_timestamp() + $10::integer * interval '1 millisecond')
      )
    order by slot {order}, block_tx_index {order}, ix_index {order}, dex {order}
    fetch first $5 rows with ties
  ) event_of_pool
  where p.id = any ($11::integer[])
  order by slot {order}, block_tx_index {order}, ix_index {order}, dex {order}
  fetch first $5 rows with ties
) e
join token t on t.id = e.token_id
