-- Whether a `token` was known at slot $2, see known_token: `fact.is_known`. `fact.is_later`: lines after the slot are stored
-- of it, which may have taken the place of earlier ones, or nothing but its address. Indexes: pool_token, pool_event_pool.
cross join lateral (
  select
    exists (
      select from pool
      where pool.token_id = token.id
        and (
          pool.first_slot <= $2::bigint
          or exists (select from pool_event where pool_event.pool_id = pool.id and pool_event.slot <= $2::bigint)
        )
    ) as has_pool,
    array_remove(
      array[
        case when token.creator is not null then coalesce(token.creator_slot, 0) end,
        case when token.sector is not null then coalesce(token.sector_slot, 0) end,
        case when token.symbol is not null then coalesce(token.symbol_slot, 0) end,
        case when token.name is not null then coalesce(token.name_slot, 0) end,
        case when token.uri is not null then coalesce(token.uri_slot, 0) end,
        case when token.decimals is not null then coalesce(token.decimals_slot, 0) end,
        case when token.supply is not null then coalesce(token.supply_slot, 0) end
      ],
      null
    ) as slots
) as own
cross join lateral (
  select
    own.has_pool or exists (select from unnest(own.slots) as each (slot) where slot between 0 and $2::bigint) as is_known,
    exists (select from unnest(own.slots) as each (slot) where slot > $2::bigint)
      or not exists (select from pool where pool.token_id = token.id) as is_later
) as fact
