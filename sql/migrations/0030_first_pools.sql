-- Who made a mint is who made its first pool: that of its earliest event, be it `created` or a swap. A `created` event
-- alone does not say so: another pool may have traded before, whose beginning nobody told of.

-- Slot of a pool's canonically first swap, whenever it came; null before any. Where in the slot it stands, `swap`
-- tells the few who ask.
alter table pool add column first_slot bigint;

update pool
set first_slot = begun.slot
from (select pool_id, min(slot) as slot from swap group by pool_id) as begun
where pool.id = begun.pool_id;

-- Word of a token whose first pool may be another, and with it its creator: beside others of the mint a pool
-- began to trade, or is now known to have traded earlier.
create function note_first_slot() returns trigger language plpgsql as $$
begin
  insert into token_change (token_id)
  select new.token_id
  where exists (select from pool where pool.token_id = new.token_id and pool.id <> new.id);
  return null;
end
$$;

create trigger pool_tells_first_slot
after update of first_slot on pool
for each row
when (new.first_slot is distinct from old.first_slot)
execute function note_first_slot();

-- Which of some pools has the canonically first event of a slot; at one place `created` goes before swaps.
-- Index: pool_event_birth, swap_pool, pool_pkey.
create function first_of_pools(ids integer[], at_slot bigint) returns integer
  language plpgsql stable
  set plan_cache_mode = force_custom_plan
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

drop function token_birth(integer);

-- The first pool of a mint, and its canonically first `created` event: null in slot, timestamp_ms, signature and
-- creator where there is none. No row of a mint without an event, or of null. Slots tell nearly always which pool is
-- the first. Index: pool_token, pool_event_birth, those of first_of_pools().
create function token_birth(of_token integer)
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

-- Ids of the tokens that somebody created: by their token lines, and those without a creator there by the `created`
-- event of their first pools; who made another pool of a mint did not create it.
-- Index: token_creator, pool_event_creator, pool_pkey, token_pkey, those of token_birth().
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
