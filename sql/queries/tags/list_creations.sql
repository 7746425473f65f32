-- Creators of mints, and where: the canonically first `created` event of each one's first pool. The token line's
-- creator precedes the event's. $1 integer[]: token ids; $2 text: a wallet, whose creations are returned besides those
-- mints; null for none.
-- Index: token_pkey, token_creator, pool_event_creator, those of token_birth().
select
  token.id as token_id,
  coalesce(token.creator, birth.creator) as creator,
  birth.slot,
  birth.signature
from (
  select unnest($1::integer[]) as id
  union
  select id from token where creator = $2
  union
  select pool.token_id
  from pool_event
  join pool on pool.id = pool_event.pool_id
  where pool_event.creator = $2 and pool_event.event = 'created'
) wanted
join token on token.id = wanted.id
left join lateral token_birth(token.id) as birth on true
