-- The pools in which swaps `near` have one wallet or one quantity on both sides, by run. $3 bigint: least quantity.
select run, pool_id
from near
group by run, pool_id, wallet_id
having bool_or(is_buy) and not bool_and(is_buy)
union
select run, pool_id
from near
where tokens >= $3
group by run, pool_id, tokens
having bool_or(is_buy) and not bool_and(is_buy)
