-- All mints with their stored values, in the order of their addresses. $1 text: mint to continue after,
-- $2 integer: how many. Without tokens that have nothing, as verify/list_pools leaves out pools.
select address, creator, creator_slot, decimals, decimals_slot, symbol, symbol_slot, name, name_slot,
  supply, supply_slot, sector, sector_slot, symbol_key, name_key, sector_key
from token
where address > $1
  and (
    coalesce(creator_slot, decimals_slot, symbol_slot, name_slot, supply_slot, sector_slot) is not null
    or exists (
      select from pool
      where pool.token_id = token.id
        and (pool.swap_count > 0 or exists (select from pool_event where pool_event.pool_id = pool.id))
    )
  )
order by address
limit $2
