-- All mints with what is known of them, in the order of their addresses. $1 text: to go on after,
-- $2 integer: how many.
select address, creator, creator_slot, decimals, decimals_slot, symbol, symbol_slot, name, name_slot,
  supply, supply_slot, sector, sector_slot, symbol_key, name_key, sector_key
from token
where address > $1
order by address
limit $2
