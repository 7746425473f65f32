-- A mint, and its present price in SOL a whole token, and US dollars a SOL; price and its time null where no pool ever
-- had a priced trade. $1 text: address; no row for an unknown one.
-- Index: token_address_key, those of token_prices() and sol_usd().
select token.id, priced.price, priced.price_ms, sol_usd() as sol_usd, newest_swap_ms() as newest_ms
from token
left join token_prices(array[token.id]) as priced on true
where token.address = $1
  and {+known_token}
