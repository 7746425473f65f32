-- name: search/list_pools
-- Pools whose account begins with a text. $1 text, $2 integer: rows.
-- Indexes: pool_pair_address_token_id_key, token_pkey.
select pool.pair_address, pool.dex, pool.swap_count, token.symbol, token.address as token_address
from pool
join token on token.id = pool.token_id
where pool.pair_address >= $1 and pool.pair_address < $1 || chr(1114111)
  and {+known_pool}
order by pool.pair_address, token.address
limit $2

-- name: search/list_tokens
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

-- name: search/list_wallets
-- Wallets whose address begins with a text, with the name of a KOL. $1 text, $2 integer: rows.
-- Indexes: wallet_address_key, the primary key of kol, those of has_traded().
select wallet.address as wallet, kol.display_name
from wallet
left join kol on kol.wallet = wallet.address
where wallet.address >= $1 and wallet.address < $1 || chr(1114111)
  and has_traded(wallet.id)
order by wallet.address
limit $2
