-- Where a page of tokens ends: before this one. $1 integer: from this token on, $2 bigint: about so many
-- swaps, at least one token. Nothing when there are no more. Index: pool_token.
select token_id + 1 as to_token_id
from (
  select token_id, sum(sum(swap_count)) over (order by token_id) as swaps
  from (
    select token_id, swap_count from pool where token_id >= $1 order by token_id limit 20000
  ) as pool
  group by token_id
) as counted
order by swaps > $2 desc, case when swaps > $2 then token_id else -token_id end
limit 1
