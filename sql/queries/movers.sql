-- name: movers/find_page
-- Both sides of a page of movers, each in order. A window's figures are found by its minutes among those that the
-- token's row names; a token whose row lacks the window is left out. No row where the snapshot is of other formulas.
-- $1 integer: minutes of the window, $2 smallint: venue (0: all), $3 integer: how many of each, $4 integer: figures of a
-- window, $5 integer: version of the formulas. Indexes: the primary keys.
select
  page.is_gainer, token.mint,
  token.figures[token.first]::integer as venues,
  token.figures[token.first + 1] as change_pct,
  token.figures[token.first + 2] as open,
  token.figures[token.first + 3] as close,
  token.figures[token.first + 4] as high,
  token.figures[token.first + 5] as low,
  token.figures[token.first + 6] as volume_sol,
  token.figures[token.first + 7] as trade_count
from mover_page page
cross join lateral unnest(page.token_ids[1:$3::integer])
  with ordinality as listed (token_id, number)
join lateral (
  -- One look-up each. A token without a row of the venue traded on that venue only.
  select *, (array_position(window_minutes, $1) - 1) * $4::integer + 1 as first
  from mover_token
  where token_id = listed.token_id and dex in (0, $2::smallint)
  order by dex desc
  limit 1
) as token on token.first is not null
where page.window_minutes = $1 and page.dex = $2
  and (select formula_version from ranking_roll) = $5
order by page.is_gainer, listed.number
