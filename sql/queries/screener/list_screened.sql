-- Tokens of a stored screen that match. $1 integer: width in minutes, $2 integer[]: token ids, or null for any.
-- $3 integer: bits of venues, or null. Least and greatest, each or null: $4 $5 price and $6 $7 volume and
-- $8 $9 liquidity in dollars, $10 $11 change_pct, $12 $13 trades, $14 $15 buyers, $16 $17 age in whole minutes,
-- $18 $19 holders; $20 double precision: dollars a SOL or null, $21 bigint: newest swap, Unix ms. $22 text: sort key,
-- $23 integer: 1 ascending, -1 descending; $24 $25 integer: rows, and rows to skip.
-- Result: the page, each row with the number of all matches. The screen is scanned twice, for the page and for the
-- number: materializing all matches costs twice as much. Index: screener_token_pkey.
with matching as not materialized (
  select
    token_id, mint,
    {+screener_order} as place
  from screener_token
  where window_minutes = $1
    and ($2::integer[] is null or token_id = any ($2))
    {+screener_filters}
),
page as (
  select token_id, place
  from matching
  order by place nulls last, mint
  limit $24
  offset $25
)
select
  found.window_minutes, found.token_id, found.mint, found.price_sol, found.volume_sol,
  found.liquidity_sol, found.change_pct, found.trades, found.buys, found.sells, found.buyers,
  found.sellers, found.holders, found.first_ms, found.venues,
  (select count(*) from matching) as total_matches, token.symbol, token.name,
  nullif(token.sector, '') as sector
from page
join screener_token as found on found.window_minutes = $1 and found.token_id = page.token_id
join token on token.id = page.token_id
order by page.place nulls last, found.mint
