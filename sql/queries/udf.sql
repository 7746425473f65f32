-- name: udf/find_symbol
-- The token of a mint, with the price of its top pool, or the token of a pair account, with the price there (the busiest
-- pool where several mints were reported for it, ties by mint). $1 text: mint or pair account; no row for neither. Price: SOL per whole
-- token, null before the first. Indexes: token_address_key, pool_pair_address_token_id_key, those of token_prices().
select token.address as mint, token.symbol, token.name, priced.price
from token
left join token_prices(array[token.id]) as priced on true
where token.address = $1
  and {+known_token}
union all
(
  select token.address as mint, token.symbol, token.name, pool.last_price as price
  from pool
  join token on token.id = pool.token_id
  where pool.pair_address = $1
    and {+known_pool}
  order by pool.swap_count desc, token.address
  limit 1
)
limit 1
