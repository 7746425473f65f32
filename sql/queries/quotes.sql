-- name: quotes/list_liquidity_changes
-- Changes of a pool's liquidity in a range of slots. Unordered: the caller sorts.
-- $1 integer: pool id, $2 bigint, $3 bigint: first and last slot, $4 text[]: kinds of events. Index: pool_event_pool.
select
  {+stored_pool_event_columns}
from pool_event
join pool on pool.id = pool_event.pool_id
join token on token.id = pool.token_id
where pool_event.pool_id = $1 and pool_event.slot between $2 and $3 and pool_event.event = any ($4)

-- name: quotes/list_pools
-- The pools of a pair account: one for each mint that it trades against SOL, by mint. No row: none is known.
-- $1 text: pair address, $2 text: mint, null for any.
-- Result: id, token_address, decimals: those of its newest swap; first_slot and last_slot: of its swaps, null before the first;
-- migrated_at_ms: Unix ms, null where it is not a migrated pool; closed_slot: slot from which on its liquidity is in another pool.
-- Index: pool_pair_address_token_id_key, token_pkey, pool_token, pool_event_birth.
select
  pool.id, token.address as token_address, pool.last_quote_decimals as decimals, pool.first_slot, pool.last_slot,
  pool.migrated_at_ms,
  (
    select min(migration.slot)
    from pool as successor
    join pool_event as migration on migration.pool_id = successor.id
    where successor.token_id = pool.token_id
      and migration.event = 'migrated'
      and migration.from_pair = pool.pair_address
  ) as closed_slot
from pool
join token on token.id = pool.token_id
where pool.pair_address = $1
  and ($2::text is null or token.address = $2)
  and {+known_pool}
order by token.address
