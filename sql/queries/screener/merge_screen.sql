-- Makes the screen of a window: all tokens that traded in it. $1 integer: width in minutes,
-- $2 integer[]: their ids. Index: screener_token_pkey.
with gone as (
  delete from screener_token where window_minutes = $1 and token_id <> all ($2)
)
insert into screener_token as stored
select $1, found.* from screened_tokens($2, $1) as found
on conflict (window_minutes, token_id) do update set
  price_sol = excluded.price_sol,
  volume_sol = excluded.volume_sol,
  liquidity_sol = excluded.liquidity_sol,
  change_pct = excluded.change_pct,
  trades = excluded.trades,
  buys = excluded.buys,
  sells = excluded.sells,
  buyers = excluded.buyers,
  sellers = excluded.sellers,
  holders = excluded.holders,
  first_ms = excluded.first_ms,
  venues = excluded.venues
where (
  stored.price_sol, stored.volume_sol, stored.liquidity_sol, stored.change_pct, stored.trades,
  stored.buys, stored.sells, stored.buyers, stored.sellers, stored.holders, stored.first_ms,
  stored.venues
) is distinct from (
  excluded.price_sol, excluded.volume_sol, excluded.liquidity_sol, excluded.change_pct,
  excluded.trades, excluded.buys, excluded.sells, excluded.buyers, excluded.sellers,
  excluded.holders, excluded.first_ms, excluded.venues
)
