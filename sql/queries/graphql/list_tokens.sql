-- What is known of tokens and what they cost now. $1 text[]: mints; unknown ones are absent.
-- Indexes: token_address_key, and those of token_prices().
select
  token.address as mint, token.symbol, token.name, token.decimals, token.creator, token.sector,
  prices.price, prices.price_ms, prices.price_ms < newest_swap_ms() - 86400000 as price_is_stale,
  (select sol_usd()) as sol_usd
from token
left join token_prices(array(select id from token where address = any ($1))) as prices
  on prices.token_id = token.id
where token.address = any ($1)
