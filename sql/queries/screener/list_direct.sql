-- Those of these tokens that match, computed on the spot. $1 integer: width in minutes, $2 integer[]: token ids.
-- $3 integer: bits of venues, or null. Least and greatest, each or null: $4 $5 price and $6 $7 volume and
-- $8 $9 liquidity in dollars, $10 $11 change_pct, $12 $13 trades, $14 $15 buyers, $16 $17 age in whole minutes,
-- $18 $19 holders; $20 double precision: dollars a SOL or null, $21 bigint: newest swap, Unix ms. $22 text: what
-- to sort by, $23 integer: 1 ascending, -1 descending; $24 $25 integer: rows, and rows to pass over; $26 text[]:
-- parts of the figures that the choice and the order go by. The others are computed for the page alone, whose tokens
-- are looked up by themselves: as a join, all are hashed for the thousand rows that a function is taken to give.
-- Result: the page, each row with the number of all matches. Indexes: those of screened_tokens().
with page as materialized (
  select found.token_id, count(*) over () as total_matches
  from screened_tokens($2, $1, $26) as found
  where true
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
  order by
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
    end nulls last,
    mint collate "C"
  limit $24
  offset $25
)
select found.*, page.total_matches, token.symbol, token.name, nullif(token.sector, '') as sector
from screened_tokens(array(select token_id from page), $1) as found
join page on page.token_id = found.token_id
cross join lateral (select * from token where token.id = found.token_id limit 1) as token
order by
  $23::integer * case $22::text
    when 'volume_usd' then volume_sol
    when 'price_usd' then price_sol
    when 'liquidity_usd' then liquidity_sol
    when 'change_pct' then change_pct
    when 'trades' then trades
    when 'buyers' then buyers
    when 'holders' then holders
    when 'age_minutes' then -first_ms
  end nulls last,
  mint collate "C"
