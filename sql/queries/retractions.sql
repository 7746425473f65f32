-- name: retractions/list_retractions
-- Blocks that were retracted, by slot, {words}, each with the sums of all pool lanes.
-- $1 bigint, $2 text: slot and blockhash ('': none was named) after which the list continues; $3 integer: rows. Result:
-- blockhash: null where none was named; swaps, pool_events: how many were taken back; is_applied: by all lanes that have
-- read it; retracted_at: Unix ms of the newest of these. Index: retraction_pkey.
-- variant asc: words = ascending; order = asc; beyond = >
-- variant desc: words = descending; order = desc; beyond = <
select
  slot, nullif(blockhash, '') as blockhash, sum(swap_count)::integer as swaps,
  sum(pool_event_count)::integer as pool_events, bool_and(is_applied) as is_applied,
  (extract(epoch from max(retracted_at)) * 1000)::bigint as retracted_at
from retraction
where (slot, blockhash) {beyond} ($1::bigint, $2::text)
group by slot, retraction.blockhash
order by slot {order}, retraction.blockhash {order}
limit $3
