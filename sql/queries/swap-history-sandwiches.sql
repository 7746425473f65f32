-- name: swap-history/find_next_slot
-- The first slot of a range with a swap; no row: none. $1 bigint, $2 bigint: first and last slot. Index: swap_order.
select slot from swap where slot between $1 and $2 order by slot limit 1

-- name: swap-history/list_bracket_pools
-- The pools in which slots may hold or change a bracket of a sandwich: touched by a swap, a pool event or a retraction, and either
-- with swaps of one wallet or of one quantity on both sides near, or with a stored bracket there or directly afterwards.
-- Pairwise: $1 bigint[] first, $2 bigint[] last slot of runs; $3 bigint: least quantity; $4 integer: slots that are near;
-- $5 $6 bigint: least and greatest slot of all with those near, which exclude all other chunks.
-- Result: run (from 1 on), pool_id, is_whole: its migration came or went, which concerns all of its swaps.
-- Indexes: swap_order, pool_event_order, retracted_swap_order, retracted_pool_event_order, sandwich_pool, swap_pool.
with run as materialized (
  select run, first_slot, last_slot
  from unnest($1::bigint[], $2::bigint[]) with ordinality as run (first_slot, last_slot, run)
),
near as materialized (
  select
    run.run, swap.slot between run.first_slot and run.last_slot as is_within,
    {+paired_columns}
  from run
  join swap on swap.slot between run.first_slot - $4 and run.last_slot + $4
  where swap.slot between $5 and $6
),
event as materialized (
  select run.run, stored.pool_id, stored.event
  from run
  join pool_event as stored on stored.slot between run.first_slot and run.last_slot
  union all
  select run.run, gone.pool_id, gone.event
  from run
  join retracted_pool_event as gone on gone.slot between run.first_slot and run.last_slot
),
touched as (
  select run, pool_id from near where is_within
  union
  select run, pool_id from event
  union
  select run.run, gone.pool_id
  from run
  join retracted_swap as gone on gone.slot between run.first_slot and run.last_slot
),
paired as (
  {+paired_pools}
)
select
  run.run::integer as run, touched.pool_id,
  exists (
    select from event
    where event.run = run.run and event.pool_id = touched.pool_id and event.event = 'migrated'
  ) as is_whole
from touched
join run on run.run = touched.run
where (touched.run, touched.pool_id) in (select paired.run, paired.pool_id from paired)
  or exists (
    select from sandwich
    where sandwich.pool_id = touched.pool_id
      and sandwich.slot >= run.first_slot - 2 * $4
      and (
        sandwich.slot <= run.last_slot + 2 * $4
        or sandwich.slot = (
          select swap.slot
          from swap
          where swap.pool_id = touched.pool_id and swap.slot > run.last_slot
          order by swap.slot
          limit 1
        )
      )
  )

-- name: swap-history/list_paired_pools
-- The pools that slots may hold a bracket of: with swaps of one wallet or of one quantity on both sides, and the wallets of their
-- swaps. $1 bigint, $2 bigint: first and last slot; $3 bigint: least quantity. Index: swap_order.
with near as materialized (
  select
    1 as run,
    {+paired_columns}
  from swap
  where swap.slot between $1::bigint and $2::bigint
),
paired as (
  {+paired_pools}
)
select
  pool.id, pool.pair_address, token.address as token_address, pool.dex, pool.first_slot,
  array_agg(distinct near.wallet_id) as wallet_ids
from paired
join near on near.pool_id = paired.pool_id
join pool on pool.id = paired.pool_id
join token on token.id = pool.token_id
group by pool.id, token.id
