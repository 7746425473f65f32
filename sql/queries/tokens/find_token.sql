-- What is known of a mint by its token lines. $1 text: address. Index: token_address_key.
select id, symbol, name, decimals, supply, sector
from token
where address = $1
