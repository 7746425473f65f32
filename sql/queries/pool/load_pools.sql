-- Pools with the state from which folding continues.
-- $1 text[]: pair addresses, $2 text[]: mints (pairwise). Indexes: the unique keys of pool and token;
-- pool_event_pool for the migration, to a venue that does not report all reserves, and for the changes of liquidity
-- since the last swap. For arrays that are the result of a select the planner makes one plan for all lengths.
select
  pool.id, pool.pair_address, token.address as token_address, pool.dex, pool.swap_count,
  pool.last_slot, pool.last_block_tx_index, pool.last_ix_index, pool.last_timestamp_ms,
  pool.last_is_buy, pool.last_signature, pool.last_user, pool.last_sol_amount,
  pool.last_token_amount, pool.last_sol_reserves, pool.last_token_reserves, pool.last_price_after,
  pool.corrected_pool_price, pool.newest_ms, pool.last_price, pool.last_price_ms, pool.first_slot,
  pool.last_quote_decimals, pool.last_virtual_quote_reserves,
  migration.slot as migration_slot, migration.block_tx_index as migration_block_tx_index,
  migration.ix_index as migration_ix_index, migration.signature as migration_signature,
  migration.timestamp_ms as migration_timestamp_ms, migration.from_pair as migration_from_pair,
  liquidity.places as liquidity_places
from unnest((select $1::text[]), (select $2::text[])) as wanted (pair_address, token_address)
join token on token.address = wanted.token_address
join pool on pool.pair_address = wanted.pair_address and pool.token_id = token.id
left join lateral (
  select slot, block_tx_index, ix_index, signature, timestamp_ms, from_pair
  from pool_event
  where pool_id = pool.id and event = 'migrated' and from_pair is not null
    and dex = any (array(select venue.dex from venue where venue.missing_lamports is not null))
  order by slot, block_tx_index, ix_index, signature
  limit 1
) as migration on true
left join lateral (
  select jsonb_agg(jsonb_build_array(slot, block_tx_index, ix_index)) as places
  from pool_event
  where pool_id = pool.id
    and event in ('liquidity_added', 'liquidity_removed')
    and (slot, block_tx_index, ix_index) >= (
      coalesce(pool.last_slot, 0), coalesce(pool.last_block_tx_index, 0),
      coalesce(pool.last_ix_index, 0)
    )
) as liquidity on true
