-- The migration of a pool `own` by the first event up to a slot, as in load_pools. $1 bigint: slot. Index: pool_event_pool.
select timestamp_ms
from pool_event
where pool_id = own.id and event = 'migrated' and from_pair is not null and slot <= $1::bigint
  and dex = any (array(select venue.dex from venue where venue.missing_lamports is not null))
order by slot, block_tx_index, ix_index, signature
limit 1
