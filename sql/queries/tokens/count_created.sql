-- How many mints a wallet created: by their token lines, and by the events of those without one.
-- $1 text: wallet. Index: token_creator, pool_event_creator, pool_pkey, token_pkey.
select count(*)::integer as mint_count
from (
  select id from token where creator = $1
  union
  select token.id
  from pool_event
  join pool on pool.id = pool_event.pool_id
  join token on token.id = pool.token_id
  where pool_event.creator = $1 and pool_event.event = 'created' and token.creator is null
) created
