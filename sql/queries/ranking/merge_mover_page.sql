-- A page in place of the one that stands. $1 integer window_minutes, $2 smallint dex, $3 text gainers,
-- $4 text losers. Index: the primary key.
insert into mover_page (window_minutes, dex, gainers, losers)
values ($1, $2, $3, $4)
on conflict (window_minutes, dex) do update set
  gainers = excluded.gainers, losers = excluded.losers
