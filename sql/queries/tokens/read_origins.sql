-- How a mint began: its first pool with the event of its creation, its canonically first migration, and how many mints
-- its creator created. One row; columns without a value are null.
-- $1 integer: token id; $2 text: the creator, or null. Index: pool_token, pool_event_birth, those of token_birth()
-- and created_tokens().
select
  created.mint_count,
  birth.pair_address as first_pair, birth.dex as first_dex, birth.timestamp_ms as created_ms,
  birth.slot as created_slot, birth.signature as created_signature,
  migration.*
from (select count(*)::integer as mint_count from created_tokens($2)) as created
left join token_birth($1) as birth on true
left join (
  select
    pool.pair_address as migrated_pair, pool_event.dex as migrated_dex, pool_event.from_pair as migrated_from,
    pool_event.timestamp_ms as migrated_ms, pool_event.slot as migrated_slot,
    pool_event.signature as migrated_signature
  from pool
  join pool_event on pool_event.pool_id = pool.id
  where pool.token_id = $1 and pool_event.event = 'migrated'
  order by
    pool_event.slot, pool_event.block_tx_index, pool_event.ix_index, pool_event.dex, pool_event.signature,
    pool.pair_address
  limit 1
) as migration on true
