-- Both sides of a page of movers, each in order. $1 integer: minutes of the window, $2 smallint: venue (0: all),
-- $3 integer: how many of each, $4 integer: where the window's figures begin, from 1.
-- Indexes: the primary keys.
select
  page.is_gainer, token.mint,
  token.figures[$4::integer]::integer as venues,
  token.figures[$4 + 1] as change_pct,
  token.figures[$4 + 2] as open,
  token.figures[$4 + 3] as close,
  token.figures[$4 + 4] as high,
  token.figures[$4 + 5] as low,
  token.figures[$4 + 6] as volume_sol,
  token.figures[$4 + 7] as trade_count
from mover_page page
cross join lateral unnest(page.token_ids[1:$3::integer])
  with ordinality as place (token_id, number)
cross join lateral (
  -- One look-up each. A token without a row of the venue traded on that venue only.
  select *
  from mover_token
  where token_id = place.token_id and dex in (0, $2::smallint)
  order by dex desc
  limit 1
) as token
where page.window_minutes = $1 and page.dex = $2
order by page.is_gainer, place.number
