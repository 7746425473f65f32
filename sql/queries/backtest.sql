-- name: backtest/list_changes
-- Changes of the liquidity of pools in ranges of slots. Unordered: the caller sorts.
-- $1 integer[], $2 bigint[], $3 bigint[]: pool id, first and last slot of each range, $4 text[]: kinds of events.
-- Index: pool_event_pool.
select
  pool_event.pool_id,
  {+stored_pool_event_columns}
from unnest($1::integer[], $2::bigint[], $3::bigint[]) as wanted (pool_id, first_slot, last_slot)
join pool_event on pool_event.pool_id = wanted.pool_id
  and pool_event.slot between wanted.first_slot and wanted.last_slot
  and pool_event.event = any ($4)
join pool on pool.id = pool_event.pool_id
join token on token.id = pool.token_id

-- name: backtest/list_pools
-- Pools by id, with where their liquidity went.
-- $1 integer[]: pool ids. Result: migrated_at_ms: Unix ms, null where it is not a migrated pool; closed_slot: slot from which on its
-- liquidity is in the pool successor_id, both null where it did not move. Index: pool_pkey, pool_token, pool_event_birth.
select
  pool.id, pool.pair_address, token.address as token_address, pool.migrated_at_ms,
  moved.slot as closed_slot, moved.successor_id
from pool
join token on token.id = pool.token_id
left join lateral (
  select migration.slot, successor.id as successor_id
  from pool as successor
  join pool_event as migration on migration.pool_id = successor.id
  where successor.token_id = pool.token_id
    and migration.event = 'migrated'
    and migration.from_pair = pool.pair_address
  order by migration.slot, successor.id
  limit 1
) as moved on true
where pool.id = any ($1)
