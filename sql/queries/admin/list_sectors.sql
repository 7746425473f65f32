-- Tokens that have a sector, by mint. $1 text: only mints after it ('': from the first), $2 integer: how many.
-- Index: token_with_sector.
select address as mint, symbol, sector
from token
where address > $1 and sector <> ''
order by address
limit $2
