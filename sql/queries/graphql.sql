-- name: graphql/list_tokens
-- Facts and present prices of tokens. $1 text[]: mints; unknown ones are absent. The creator is the token line's, else
-- the creator of the first pool, as in tags/list_creations; decimals are those of the mint's newest swap, before the
-- first the token line's.
-- Indexes: token_address_key, and those of token_birth(), token_prices() and mint_decimals().
select
  token.address as mint, token.symbol, token.name,
  coalesce(
    prices.decimals, (select newest.decimals from mint_decimals(token.id) as newest), token.decimals
  ) as decimals,
  coalesce(token.creator, birth.creator) as creator, nullif(token.sector, '') as sector,
  nullif(token.uri, '') as uri, case when token.image_of = token.uri then token.image end as image,
  prices.price, prices.price_ms, prices.price_ms < newest_swap_ms() - 86400000 as price_is_stale,
  (select sol_usd()) as sol_usd
from token
left join token_prices(array(select id from token where address = any ($1))) as prices
  on prices.token_id = token.id
left join lateral token_birth(case when token.creator is null then token.id end) as birth on true
where token.address = any ($1)
  and {+known_token}
