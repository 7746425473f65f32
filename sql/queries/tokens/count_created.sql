-- How many mints a wallet created: by their token lines, and of those without one by the first `created` event.
-- Who made another pool of a mint did not create it.
-- $1 text: wallet. Index: token_creator, pool_event_creator, pool_pkey, token_pkey, pool_token, pool_event_birth.
select count(*)::integer as mint_count
from (
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
) created
