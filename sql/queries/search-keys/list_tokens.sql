-- Tokens that have a text, by id. $1 integer: to go on after, $2 integer: how many. Index: token_pkey.
select id, symbol, name, sector
from token
where id > $1 and (symbol is not null or name is not null or sector is not null)
order by id
limit $2
