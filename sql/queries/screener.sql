-- name: screener/list_active
-- Ids of tokens that traded in the n minutes which end with the newest swap, or now if that is earlier.
-- $1 integer: n. Every pool is looked at. Indexes: pool_pkey, that of pool_traded().
select coalesce(array_agg(distinct token_id), '{}') as ids
from (select newest_swap_ms() / 60000 * 60000 + 60000 as end_ms) as span
cross join lateral (select end_ms - $1::bigint * 60000 as from_ms) as began
join pool on pool.newest_ms >= from_ms
where pool.newest_ms < end_ms or pool_traded(pool.id, from_ms, end_ms)

-- name: screener/list_created
-- Ids of tokens of a creator. $1 text: creator. Index: those of created_tokens().
select created_tokens as id from created_tokens($1)

-- name: screener/list_direct
-- Tokens among these that match, computed at once. $1 integer: width in minutes, $2 integer[]: token ids.
-- $3 integer: bits of venues, or null. Least and greatest, each or null: $4 $5 price and $6 $7 volume and
-- $8 $9 liquidity in dollars, $10 $11 change_pct, $12 $13 trades, $14 $15 buyers, $16 $17 age in whole minutes,
-- $18 $19 holders; $20 double precision: dollars a SOL or null, $21 bigint: newest swap, Unix ms. $22 text: sort key,
-- $23 integer: 1 ascending, -1 descending; $24 $25 integer: rows, and rows to skip; $26 text[]: parts of the figures
-- that the filter and the order use. The others are computed for the page only, whose tokens are looked up one by one:
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

-- name: screener/list_mints
-- Ids of mints. $1 text[]. Index: token_address_key.
select id
from token
where address = any ($1)
  and {+known_token}

-- name: screener/list_screened
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
    {+screener_order} as ordinal
  from screener_token
  where window_minutes = $1
    and ($2::integer[] is null or token_id = any ($2))
    {+screener_filters}
),
page as (
  select token_id, ordinal
  from matching
  order by ordinal nulls last, mint
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
order by page.ordinal nulls last, found.mint

-- name: screener/list_sector
-- Ids of the tokens of a sector. $1 text: its search key, not ''. Index: token_sector.
select id from token where sector_key = $1 and sector_key <> ''

-- name: screener/lock_refresh
-- Waits until no other session makes the screen of this window; the session holds the lock. $1 integer: width in
-- minutes.
select pg_advisory_lock(hashtextextended('screener', $1::integer))

-- name: screener/merge_refresh
-- Stores the instant of a window's screen: that of the transaction. $1 integer: width in minutes.
insert into screener_roll
select $1, newest_swap_ms(), now() where newest_swap_ms() is not null
on conflict (window_minutes) do update set
  newest_ms = excluded.newest_ms, rolled_at = excluded.rolled_at

-- name: screener/merge_screen
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

-- name: screener/read_state
-- State that a screen needs first. $1 integer: width in minutes. Result: newest swap, dollars a SOL, the
-- highest id of a pool, age of the stored screen (null: none is stored, or the clock was set back to before it).
-- Indexes: slot_span_pkey, pool_pkey, screener_roll_pkey.
select
  newest_swap_ms() as newest_ms,
  sol_usd() as rate,
  (select max(id) from pool) as pool_count,
  (
    select (extract(epoch from clock_timestamp() - rolled_at) * 1000)::double precision
    from screener_roll
    where window_minutes = $1 and rolled_at <= clock_timestamp()
  ) as age_ms,
  (select newest_ms from screener_roll where window_minutes = $1) as rolled_newest_ms
