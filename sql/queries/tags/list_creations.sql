-- Who created mints, and where: the canonically first `created` event of each one's pools. The token
-- line's creator stands before the event's.
-- $1 integer[]: token ids; $2 text: a wallet, whose creations come besides those mints.
-- Index: token_pkey, token_creator, pool_event_creator, pool_token, pool_event_birth.
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
left join lateral (
  select pool_event.slot, pool_event.signature, pool_event.creator
  from pool
  join pool_event on pool_event.pool_id = pool.id and pool_event.event = 'created'
  where pool.token_id = token.id
  order by
    pool_event.slot, pool_event.block_tx_index, pool_event.ix_index, pool_event.dex,
    pool_event.signature
  limit 1
) birth on true
