-- Pages in place of those that stand. Pairwise: $1 integer[] window_minutes, $2 smallint[] dex,
-- $3 text[] gainers, $4 text[] losers. Index: the primary key.
insert into mover_page (window_minutes, dex, gainers, losers)
select * from unnest($1::integer[], $2::smallint[], $3::text[], $4::text[])
on conflict (window_minutes, dex) do update set
  gainers = excluded.gainers, losers = excluded.losers
