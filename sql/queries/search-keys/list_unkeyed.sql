-- Tokens without a key of a text that they have, by id. $1 integer: to go on after, $2 integer: how many.
-- Index: token_unkeyed.
select id, symbol, name, sector
from token
where
  id > $1
  and (
    symbol is not null and symbol_key is null or name is not null and name_key is null
    or sector is not null and sector_key is null
  )
order by id
limit $2
