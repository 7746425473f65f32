-- What is known of tokens beside their trades. $1 integer[]: token ids. `creator_id`: the wallet of the
-- token line's creator, else of the first `created` event's; null also where that wallet never traded, which is
-- what `has_creator` tells. Indexes: token_pkey, token_start_pkey, pool_token, pool_event_pool, the unique key of
-- wallet.
select
  token.id as token_id, token.address as mint, token.sector, start.first_ms, wallet.id as creator_id,
  coalesce(token.creator, birth.creator) is not null as has_creator
from token
join token_start as start on start.token_id = token.id
left join lateral (
  select pool_event.creator
  from pool
  join pool_event on pool_event.pool_id = pool.id and pool_event.event = 'created'
  where token.creator is null and pool.token_id = token.id
  order by
    pool_event.slot, pool_event.block_tx_index, pool_event.ix_index, pool_event.dex,
    pool_event.signature
  limit 1
) as birth on true
left join wallet on wallet.address = coalesce(token.creator, birth.creator)
where token.id = any ($1::integer[])
