-- Names the blocks of stored pool events that name none. Pairwise: $1 text[] signature, $2 text[] event, $3 text[] pair,
-- $4 integer[] ix_index, $5 text[] blockhash. Index: the unique key of pool_event.
update pool_event
set blockhash = named.blockhash
from unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::text[])
  as named (signature, event, pair_address, ix_index, blockhash)
join pool on pool.pair_address = named.pair_address
where pool_event.signature = named.signature
  and pool_event.event = named.event
  and pool_event.pool_id = pool.id
  and pool_event.ix_index = named.ix_index
  and pool_event.blockhash is null
