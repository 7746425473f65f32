-- Tokens of a sector, by mint. $1 text: only mints after it ('': from the first), $2 integer: how many, $3 text: search
-- key of the sector, not ''. Index: token_sector.
select address as mint, symbol, sector
from token
where sector_key = $3 and sector_key <> '' and address > $1
order by address
limit $2
