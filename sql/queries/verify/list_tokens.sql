-- All mints with their stored values, in the order of their addresses. $1 text: mint to continue after,
-- $2 integer: how many. Without tokens that have nothing, as verify/list_pools leaves out pools.
select address, creator, creator_slot, decimals, decimals_slot, symbol, symbol_slot, name, name_slot,
  supply, supply_slot, sector, sector_slot, symbol_key, name_key, sector_key
from token
where address > $1
  and {+known_token}
order by address
limit $2
