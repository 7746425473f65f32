-- name: dropping/find_needing
-- Why swaps up to a slot cannot be dropped yet: cause and reason; no row without such. $1 bigint: slot. Index: none; small tables.
select cause, reason
from (
  select 'ledger_recompute' as cause, 'a position is to be recomputed from these swaps' as reason
  from position_refold
  where from_slot <= $1
  union all
  select 'ledger_audit', 'positions are being counted against the stored swaps' from ledger_audit
  union all
  select 'sandwich_search', 'sandwiches of these slots are still to be found' from sandwich_due where first_slot <= $1
) as needing
limit 1

-- name: dropping/merge_bound
-- Moves the bound of stored swaps. $1 bigint: the slot where they begin, $2 bigint: the time before which dropped ones are, Unix ms;
-- $3 bigint: swaps that are dropped with it. Index: history_bound_pkey.
insert into history_bound (since_slot, since_ms, dropped_swaps, days, begun_ms, dropped_at)
values ($1, $2, $3, 0, 0, now())
on conflict (is_only) do update set
  since_slot = greatest(history_bound.since_slot, excluded.since_slot),
  since_ms = greatest(history_bound.since_ms, excluded.since_ms),
  dropped_swaps = history_bound.dropped_swaps + excluded.dropped_swaps,
  dropped_at = now()

-- name: dropping/begin_dropping
-- States that swaps are to be dropped after so many days. $1 integer: days, $2 bigint: time of the newest swap, Unix ms. Result: when
-- this was first stated, Unix ms. Index: history_bound_pkey.
insert into history_bound (days, begun_ms) values ($1, $2)
on conflict (is_only) do update set days = excluded.days
returning begun_ms

-- name: dropping/delete_last
-- Deletes the last dropped swaps of pools, which later ones replace. $1 integer[]: pool ids. Index: last_dropped_swap_pool.
delete from last_dropped_swap where pool_id = any ($1::integer[])

-- name: dropping/end_dropping
-- States that no swaps are to be dropped, unless some were. Index: none, one row.
delete from history_bound where dropped_swaps = 0

-- name: dropping/insert_last
-- Stores the last dropped swaps of pools. Parameters: those of the fragment, and $36 boolean: whether they stay in `swap`.
insert into last_dropped_swap (
  {+swap_columns},
  stays
)
select last.*, $36::boolean
from (
  {+handed_swaps}
) as last

-- name: dropping/list_left
-- Rows of `swap` in slots, with the addresses of their pools. $1 $2 bigint: first and last slot. Index: swap_order, pool_pkey.
select
  {+swap_columns},
  (select pair_address from pool where pool.id = swap.pool_id) as pair_address
from swap
where slot between $1 and $2

-- name: dropping/read_end
-- The latest time of a swap up to a slot, or of one of its run of 100 slots. $1 bigint: slot. Result: one row, Unix ms; null without a
-- swap. Index: the rows of one width of slot_span are read, and slot_span_pkey.
select max(last_ms) as end_ms
from (
  select last_ms from slot_span where width = 10000 and bucket + 9999 <= $1
  union all
  select last_ms from slot_span where width = 100 and bucket between $1 / 10000 * 10000 and $1
) as span
