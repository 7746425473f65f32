-- A page of movers, both sides. $1 integer: minutes of the window, $2 smallint: venue (0: all).
-- Index: the primary key.
select gainers, losers from mover_page where window_minutes = $1 and dex = $2
