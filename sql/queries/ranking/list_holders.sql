-- Holders of tokens by the ledger: how many, what all of them hold and what the ten largest do, and how
-- many positions there are at all. $1 integer[]: token ids. Index: position_token.
select
  token_id, count(*) as position_count, count(*) filter (where balance > 0) as holder_count,
  sum(balance) as held, coalesce(sum(balance) filter (where place <= 10), 0) as held_by_ten
from (
  select
    token_id, balance, row_number() over (partition by token_id order by balance desc) as place
  from position
  where token_id = any ($1::integer[])
) as ranked
group by token_id
