-- Tokens with their present price and their top pool, looked up as in tokens/read_profile; decimals of the mint's
-- newest swap, before the first of the token line. $1 text[]: mints. By mint.
-- Indexes: token_address_key, token_start_pkey, pool_pkey, those of token_prices() and mint_decimals().
with wanted as materialized (
  select id
  from token
  where address = any ($1)
    and {+known_token}
)
select
  token.id, token.address as mint, token.symbol, token.name,
  coalesce(
    priced.decimals, (select newest.decimals from mint_decimals(token.id) as newest), token.decimals
  ) as decimals,
  token.supply, start.first_ms, priced.price, priced.price_ms, pool.pair_address as top_pair, pool.dex,
  pool.last_sol_reserves, pool.migrated_at_ms, pool.last_virtual_quote_reserves, (select sol_usd()) as rate
from wanted
join token on token.id = wanted.id
left join token_start as start on start.token_id = token.id
left join token_prices(array(select id from wanted)) as priced on priced.token_id = token.id
left join lateral (select * from pool where pool.id = priced.pool_id limit 1) pool on true
order by token.address
