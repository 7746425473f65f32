-- Holders of tokens by the ledger: their number, the balances of all and of the ten largest, how many
-- positions there are at all, and in which minutes they became holders and ceased to be (as positions have them,
-- with commas between; null where there are none). $1 integer[]: token ids. Positions are read once, in the order
-- of the index. Index: position_token.
select
  token_id, count(*) as position_count, count(*) filter (where balance > 0) as holder_count,
  sum(balance) as held,
  (
    select sum(largest)
    from unnest((array_agg(balance order by balance desc))[1:10]) as largest
  ) as held_by_ten,
  string_agg(array_to_string(held_changes, ','), ',') filter (where held_changes <> '{}') as changes
from position
where token_id = any ($1::integer[])
group by token_id
