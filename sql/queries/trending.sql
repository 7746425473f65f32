-- name: trending/find_page
-- A part of a page of trending tokens, in order, one row at least where the page exists: without a token, mint is null.
-- A window's figures are found by its minutes among those that the token's row names; a row without the page's window
-- counts as no token, a further window that a row lacks has no change. No row where the snapshot is of other formulas.
-- $1 integer: minutes of the window, $2 boolean: with the rugged, $3 text: sector ('': any), $4 $5 integer: the first
-- and the last place, from 1; $6 integer: figures of a window, $7 integer[]: minutes of further windows, whose changes
-- `other_changes` has in this order (null: none are wanted), $8 integer: version of the formulas.
-- Indexes: the primary keys.
select
  page.total, token.token_id, token.mint,
  token.changes[token.window_number] as change_pct,
  case when $7::integer[] is not null then
    array(
      select token.changes[array_position(token.window_minutes, wanted.minutes)]
      from unnest($7) with ordinality as wanted (minutes, number)
      order by wanted.number
    )
  end as other_changes,
  token.figures[token.first] as score,
  token.figures[token.first + 1] as volume_sol,
  token.figures[token.first + 2] as vol_velocity,
  token.figures[token.first + 3] as unique_buyers,
  token.figures[token.first + 4] as vol_acceleration,
  token.figures[token.first + 5] as buyer_acceleration,
  token.figures[token.first + 6] as dev_sell_penalty,
  token.figures[token.first + 7] as holder_growth,
  token.figures[token.first + 8] as top10_penalty
from trending_page page
left join lateral unnest(page.token_ids[$4::integer:$5::integer])
  with ordinality as listed (token_id, number) on true
left join lateral (
  -- One look-up each, whatever the planner estimates for a table that changes all the time.
  select
    *, array_position(window_minutes, $1) as window_number,
    (array_position(window_minutes, $1) - 1) * $6::integer + 1 as first
  from trending_token
  where token_id = listed.token_id
  limit 1
) as token on token.first is not null
where page.window_minutes = $1 and page.has_rugged = $2 and page.sector = $3
  and (select formula_version from ranking_roll) = $8
order by listed.number

-- name: trending/list_prices
-- Prices of tokens now, with the reserves of their top pool, and US dollars a SOL; in the order of the ids, one row
-- each. $1 integer[]: token ids. Indexes: those of token_prices(), pool_pkey.
select
  wanted.id as token_id, priced.price, pool.dex, pool.last_sol_reserves, pool.migrated_at_ms,
  pool.last_virtual_quote_reserves,
  (select sol_usd()) as rate
from unnest($1::integer[]) with ordinality as wanted (id, ordinal)
left join token_prices($1) as priced on priced.token_id = wanted.id
left join pool on pool.id = priced.pool_id
order by wanted.ordinal
