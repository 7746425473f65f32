-- A part of a page of trending tokens, in order, one row at least where the page is stored: without a token, mint is
-- null. $1 integer: minutes of the window, $2 boolean: with the rugged, $3 text: sector ('': any), $4 $5 integer: the
-- first and the last rank, from 1; $6 integer: where the window's figures begin, from 1.
-- Indexes: the primary keys.
select
  page.total, token.token_id, token.mint,
  token.figures[$6::integer] as score,
  token.figures[$6 + 1] as volume_sol,
  token.figures[$6 + 2] as vol_velocity,
  token.figures[$6 + 3] as unique_buyers,
  token.figures[$6 + 4] as vol_acceleration,
  token.figures[$6 + 5] as buyer_acceleration,
  token.figures[$6 + 6] as dev_sell_penalty,
  token.figures[$6 + 7] as holder_growth,
  token.figures[$6 + 8] as top10_penalty,
  token.changes
from trending_page page
left join lateral unnest(page.token_ids[$4::integer:$5::integer])
  with ordinality as place (token_id, number) on true
left join lateral (
  -- One look-up each, whatever the planner estimates for a table that changes all the time.
  select * from trending_token where token_id = place.token_id limit 1
) as token on true
where page.window_minutes = $1 and page.has_rugged = $2 and page.sector = $3
order by place.number
