-- How a mint began: the canonically first `created` and the first `migrated` event of its pools, each with how many
-- mints its creator created; one row without an event where there is none.
-- $1 integer: token id; $2 text: the creator, or null. Index: pool_token, pool_event_birth, those of created_tokens().
select created.mint_count, origin.*
from (select count(*)::integer as mint_count from created_tokens($2)) as created
left join (
  select distinct on (pool_event.event)
    pool_event.event, pool.pair_address, pool_event.from_pair, pool_event.dex, pool_event.slot,
    pool_event.timestamp_ms, pool_event.signature
  from pool
  join pool_event on pool_event.pool_id = pool.id
  where pool.token_id = $1 and pool_event.event in ('created', 'migrated')
  order by
    pool_event.event, pool_event.slot, pool_event.block_tx_index, pool_event.ix_index, pool_event.dex,
    pool_event.signature
) as origin on true
