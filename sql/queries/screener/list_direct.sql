-- Those of these tokens that match, computed on the spot. $1 integer: width in minutes, $2 integer[]: token ids.
-- $3 integer: bits of venues, or null. Least and greatest, each or null: $4 $5 price and $6 $7 volume and
-- $8 $9 liquidity in dollars, $10 $11 change_pct, $12 $13 trades, $14 $15 buyers, $16 $17 age in whole minutes,
-- $18 $19 holders; $20 double precision: dollars a SOL or null, $21 bigint: newest swap, Unix ms. $22 text: sort key,
-- $23 integer: 1 ascending, -1 descending; $24 $25 integer: rows, and rows to skip; $26 text[]: parts of the figures
-- that the filter and the order use. The others are computed for the page alone, whose tokens are looked up one by one:
-- a join would hash all tokens for the thousand rows that the planner assumes of a function.
-- Result: the page, each row with the number of all matches. Indexes: those of screened_tokens().
with page as materialized (
  select found.token_id, count(*) over () as total_matches
  from screened_tokens($2, $1, $26) as found
  where true
    {+screener_filters}
  order by
    {+screener_order} nulls last,
    mint collate "C"
  limit $24
  offset $25
)
select found.*, page.total_matches, token.symbol, token.name, nullif(token.sector, '') as sector
from screened_tokens(array(select token_id from page), $1) as found
join page on page.token_id = found.token_id
cross join lateral (select * from token where token.id = found.token_id limit 1) as token
order by
  {+screener_order} nulls last,
  mint collate "C"
