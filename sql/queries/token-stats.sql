-- name: token-stats/list_tokens
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

-- name: token-stats/list_windows
-- Figures of tokens in windows, where they traded. $1 integer[]: token ids, $2 integer[]: widths in
-- minutes. Indexes: those of token_windows() and token_traders().
select
  traded.token_id, traded.window_minutes as minutes, traded.volume_lamports, traded.trade_count,
  traded.open, traded.high, traded.low, traded.close, coalesce(traders.buy_count, 0) as buy_count,
  coalesce(traders.sell_count, 0) as sell_count, coalesce(traders.buyer_count, 0) as buyer_count,
  coalesce(traders.seller_count, 0) as seller_count,
  newest_swap_ms() / 60000 * 60000 + 60000 as end_ms
from token_windows($1, $2) as traded
left join token_traders($1, $2) as traders
  on traders.token_id = traded.token_id and traders.window_minutes = traded.window_minutes

-- name: token-stats/list_top_pools
-- Pools of tokens, as list_tokens shows them. $1 integer[]: pool ids. Index: pool_pkey.
select id, pair_address as top_pair, dex, last_sol_reserves, migrated_at_ms, last_virtual_quote_reserves
from pool
where id = any ($1::integer[])
