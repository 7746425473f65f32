-- name: prices/list_pools
-- Ids of a mint's pools that ever had a priced trade. $1 text: mint. Index: token_address_key, pool_token.
select id from pool
where token_id = (select id from token where address = $1) and last_price is not null
order by id

-- name: prices/list_prices
-- Prices of tokens now; no row for a token without one. $1 text[]: mints. Result: mint, price double precision (SOL per
-- whole token), price_ms bigint, sol_usd double precision or null.
-- Indexes: token_address_key, token_pkey, those of token_prices() and sol_usd().
select token.address as mint, priced.price, priced.price_ms, (select sol_usd()) as sol_usd
from token_prices(array(select id from token where address = any ($1))) as priced
join token on token.id = priced.token_id
order by mint

-- name: prices/list_tokens
-- Tokens by mint. $1 text[]: mints. Result: id, mint. Index: token_address_key.
select id, address as mint from token where address = any ($1) order by address
