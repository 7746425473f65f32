-- Tokens of a stored screen that fit. $1 integer: width in minutes, $2 integer[]: token ids, or null for any.
-- $3 integer: bits of venues, or null. Least and greatest, each or null: $4 $5 price and $6 $7 volume and
-- $8 $9 liquidity in dollars, $10 $11 change_pct, $12 $13 trades, $14 $15 buyers, $16 $17 age in whole minutes,
-- $18 $19 holders; $20 double precision: dollars a SOL or null, $21 bigint: newest swap, Unix ms. $22 text: what
-- to sort by, $23 integer: 1 ascending, -1 descending; $24 $25 integer: rows, and rows to pass over.
-- Result: the page, each row with the number of all matches. The screen is gone through twice, for the page
-- and for the number: holding all matches in between costs twice as much. Index: screener_token_pkey.
with matching as not materialized (
  select
    token_id, mint,
    $23::integer * case $22::text
      when 'volume_usd' then volume_sol
      when 'price_usd' then price_sol
      when 'liquidity_usd' then liquidity_sol
      when 'change_pct' then change_pct
      when 'trades' then trades
      when 'buyers' then buyers
      when 'holders' then holders
      -- The older a token, the earlier its first swap.
      when 'age_minutes' then -first_ms
    end as place
  from screener_token
  where window_minutes = $1
    and ($2::integer[] is null or token_id = any ($2))
    and ($3::integer is null or venues & $3 <> 0)
    and ($4::double precision is null or price_sol * $20::double precision >= $4)
    and ($5::double precision is null or price_sol * $20::double precision <= $5)
    and ($6::double precision is null or volume_sol * $20::double precision >= $6)
    and ($7::double precision is null or volume_sol * $20::double precision <= $7)
    and ($8::double precision is null or liquidity_sol * $20::double precision >= $8)
    and ($9::double precision is null or liquidity_sol * $20::double precision <= $9)
    and ($10::double precision is null or change_pct >= $10)
    and ($11::double precision is null or change_pct <= $11)
    and ($12::bigint is null or trades >= $12)
    and ($13::bigint is null or trades <= $13)
    and ($14::bigint is null or buyers >= $14)
    and ($15::bigint is null or buyers <= $15)
    and ($16::bigint is null or first_ms <= $21::bigint - $16 * 60000)
    and ($17::bigint is null or first_ms > $21::bigint - ($17 + 1) * 60000)
    and ($18::bigint is null or holders >= $18)
    and ($19::bigint is null or holders <= $19)
),
page as (
  select token_id, place
  from matching
  order by place nulls last, mint
  limit $24
  offset $25
)
select
  found.*, (select count(*) from matching) as total_matches, token.symbol, token.name,
  nullif(token.sector, '') as sector
from page
join screener_token as found on found.window_minutes = $1 and found.token_id = page.token_id
join token on token.id = page.token_id
order by page.place nulls last, found.mint
