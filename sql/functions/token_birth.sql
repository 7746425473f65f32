-- The first pool of a mint and its creator. The first pool is that of the canonically earliest event, be it `created`
-- or a swap: a `created` event alone does not decide, because another pool may have traded before.

-- The one of some pools that has the canonically first event of a slot; at one place `created` precedes swaps.
-- Index: pool_event_birth, swap_pool, pool_pkey.
create or replace function first_of_pools(ids integer[], at_slot bigint) returns integer
  language plpgsql stable
as $$
begin
  return (
    select pool.id
    from (
      select pool_id, block_tx_index, ix_index, false as is_swap, dex, true as is_buy, signature
      from pool_event
      where pool_id = any (ids) and slot = at_slot and event = 'created'
      union all
      select pool_id, block_tx_index, ix_index, true, dex, is_buy, signature
      from swap
      where pool_id = any (ids) and slot = at_slot
    ) as placed
    join pool on pool.id = placed.pool_id
    order by
      placed.block_tx_index, placed.ix_index, placed.is_swap, placed.dex, placed.is_buy desc, placed.signature,
      pool.pair_address
    limit 1
  );
end
$$;

-- The first pool of a mint, and its canonically first `created` event: slot, timestamp_ms, signature and creator are
-- null where there is none. No row for a mint without an event, or for null. Slots nearly always decide which pool is
-- first. Index: pool_token, pool_event_birth, those of first_of_pools().
create or replace function token_birth(of_token integer)
  returns table (
    pool_id integer, pair_address text, dex smallint, slot bigint, timestamp_ms bigint, signature text, creator text
  )
  language sql stable rows 1
as $$
  select
    rival.pool_id, rival.pair_address, rival.dex, rival.slot, rival.timestamp_ms, rival.signature, rival.creator
  from (
    select earliest.*, array_agg(earliest.pool_id) over () as ids
    from (
      select
        pool.id as pool_id, pool.pair_address, coalesce(made.dex, pool.dex) as dex, made.slot, made.timestamp_ms,
        made.signature, made.creator, least(pool.first_slot, made.slot) as at_slot
      from pool
      left join lateral (
        select event.dex, event.slot, event.timestamp_ms, event.signature, event.creator
        from pool_event as event
        where event.pool_id = pool.id and event.event = 'created'
        order by event.slot, event.block_tx_index, event.ix_index, event.dex, event.signature
        limit 1
      ) as made on true
      where pool.token_id = of_token and (pool.first_slot is not null or made.slot is not null)
      order by at_slot
      fetch first row with ties
    ) as earliest
  ) as rival
  where cardinality(rival.ids) = 1 or rival.pool_id = first_of_pools(rival.ids, rival.at_slot)
$$;

-- Ids of the tokens that a wallet created: by their token lines, and those without a creator there by the `created`
-- event of their first pool; opening another pool of a mint does not create it. Index: token_creator,
-- pool_event_creator, pool_pkey, token_pkey, those of token_birth().
create or replace function created_tokens(by_creator text)
  returns setof integer
  language sql stable
as $$
  select id from token where creator = by_creator
  union all
  select made.token_id
  from (
    select distinct pool.token_id
    from pool_event as event
    join pool on pool.id = event.pool_id
    join token on token.id = pool.token_id
    where event.creator = by_creator and event.event = 'created' and token.creator is null
  ) as made
  cross join lateral token_birth(made.token_id) as birth
  where birth.creator = by_creator
$$;
