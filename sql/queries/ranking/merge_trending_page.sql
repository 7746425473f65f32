-- A page in place of the one that stands. $1 integer window_minutes, $2 boolean has_rugged, $3 text sector,
-- $4 integer total, $5 text entries. Index: the primary key.
insert into trending_page (window_minutes, has_rugged, sector, total, entries)
values ($1, $2, $3, $4, $5)
on conflict (window_minutes, has_rugged, sector) do update set
  total = excluded.total, entries = excluded.entries
