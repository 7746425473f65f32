-- Pages in place of those that stand. Pairwise: $1 integer[] window_minutes, $2 boolean[] has_rugged,
-- $3 text[] sector, $4 integer[] total, $5 text[] entries. Index: the primary key.
insert into trending_page (window_minutes, has_rugged, sector, total, entries)
select * from unnest($1::integer[], $2::boolean[], $3::text[], $4::integer[], $5::text[])
on conflict (window_minutes, has_rugged, sector) do update set
  total = excluded.total, entries = excluded.entries
