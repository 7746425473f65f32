-- Who created a mint, in one place. Both are plain SELECTs without side effects, so that they become part of the
-- statement that calls them and go by its indexes.

-- The canonically first `created` event of a mint's pools; no row where there is none, or of null.
-- Index: pool_token, pool_event_birth.
create function token_birth(of_token integer)
  returns table (slot bigint, signature text, creator text)
  language sql stable rows 1
as $$
  select event.slot, event.signature, event.creator
  from pool
  join pool_event as event on event.pool_id = pool.id and event.event = 'created'
  where pool.token_id = of_token
  order by event.slot, event.block_tx_index, event.ix_index, event.dex, event.signature
  limit 1
$$;

-- Ids of the tokens that somebody created: by their token lines, and those without a creator there by the first
-- `created` event; who made another pool of a mint did not create it.
-- Index: token_creator, pool_event_creator, pool_pkey, token_pkey, pool_token, pool_event_birth.
create function created_tokens(by_creator text)
  returns setof integer
  language sql stable
as $$
  select id from token where creator = by_creator
  union
  select pool.token_id
  from pool_event as event
  join pool on pool.id = event.pool_id
  join token on token.id = pool.token_id
  where event.creator = by_creator
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
$$;
