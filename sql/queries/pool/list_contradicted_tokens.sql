-- Those of these mints whose token line has other decimals than their newest swap. $1 text[]: mints. Result:
-- token_address, line_decimals, swap_decimals. Indexes: token_address_key, that of mint_decimals(). Within the
-- transaction that wrote either: it sees both. One plan for all, as load_pools.sql.
select
  token.address as token_address, token.decimals as line_decimals, newest.decimals as swap_decimals
from unnest((select $1::text[])) as wanted (address)
join token on token.address = wanted.address
cross join lateral mint_decimals(token.id) as newest
where token.decimals <> newest.decimals
