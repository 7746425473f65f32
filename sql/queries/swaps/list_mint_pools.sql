-- The busiest pools of a mint, for a caller that sent the mint instead of a pool. No row: no mint.
-- $1 text: address, $2 integer: rows. Index: token_address_key, pool_token.
select p.pair_address
from token t
left join pool p on p.token_id = t.id
where t.address = $1
order by p.swap_count desc nulls last, p.pair_address
limit $2
