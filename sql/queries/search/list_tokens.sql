-- Tokens whose symbol, name or mint begins with a text, the same ones first. $1 text: its search key or null,
-- $2 text: beginning of a mint or null, $3 integer: candidates of each kind, at most. A token is returned once for each
-- way in which it is found. Result: match symbol, name or address, and all swaps of the token's pools.
-- Indexes: token_symbol_mint, token_name_mint, token_address_key, pool_token.
select
  found.match, token.address as mint, token.symbol, token.name, token.symbol_key, token.name_key,
  coalesce(traded.swap_count, 0)::bigint as swap_count
from (
  (
    select id, 'symbol' as match
    from token
    where symbol_key >= $1 and symbol_key < $1 || chr(1114111)
    order by symbol_key, address
    limit $3
  )
  union all
  (
    select id, 'name'
    from token
    where name_key >= $1 and name_key < $1 || chr(1114111)
    order by name_key, address
    limit $3
  )
  union all
  (
    select id, 'address'
    from token
    where address >= $2 and address < $2 || chr(1114111)
      and {+known_token}
    order by address
    limit $3
  )
) as found
join token on token.id = found.id
cross join lateral (
  select sum(pool.swap_count) as swap_count from pool where pool.token_id = found.id
) as traded
