-- Pages that are no more: all but those of these keys. Pairwise: $1 integer[] window_minutes,
-- $2 boolean[] has_rugged, $3 text[] sector.
delete from trending_page
where (window_minutes, has_rugged, sector) not in (
  select * from unnest($1::integer[], $2::boolean[], $3::text[])
)
