-- Ids of tokens by who created them: the token line's creator stands above that of the first `created` event.
-- $1 text: creator. Indexes: token_creator, pool_event_creator, pool_pkey, pool_event_birth.
select id from token where creator = $1
union
select pool.token_id
from pool_event as event
join pool on pool.id = event.pool_id
join token on token.id = pool.token_id
where event.creator = $1
  and event.event = 'created'
  and token.creator is null
  and not exists (
    select
    from pool as sibling
    join pool_event as earlier on earlier.pool_id = sibling.id
    where sibling.token_id = pool.token_id
      and earlier.event = 'created'
      and (earlier.slot, earlier.block_tx_index, earlier.ix_index, earlier.dex, earlier.signature)
        < (event.slot, event.block_tx_index, event.ix_index, event.dex, event.signature)
  )
