-- How a mint began: the canonically first `created` and the first `migrated` event of its pools.
-- $1 integer: token id. Index: pool_token, pool_event_birth.
select distinct on (pool_event.event)
  pool_event.event, pool.pair_address, pool_event.from_pair, pool_event.dex, pool_event.slot,
  pool_event.timestamp_ms, pool_event.signature
from pool
join pool_event on pool_event.pool_id = pool.id
where pool.token_id = $1 and pool_event.event in ('created', 'migrated')
order by
  pool_event.event, pool_event.slot, pool_event.block_tx_index, pool_event.ix_index, pool_event.dex,
  pool_event.signature
