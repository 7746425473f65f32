-- Replaces stored pages of trending tokens. Pairwise: $1 integer[] window_minutes, $2 boolean[] has_rugged, $3 text[]
-- sector, $4 integer[] total, $5 integer[] where their tokens end in $6 integer[]: token ids of all of them, page after
-- page. Index: the primary key.
insert into trending_page (window_minutes, has_rugged, sector, total, token_ids)
select
  page.window_minutes, page.has_rugged, page.sector, page.total,
  ($6::integer[])[lag(page.last, 1, 0) over (order by page.number) + 1:page.last]
from unnest($1::integer[], $2::boolean[], $3::text[], $4::integer[], $5::integer[])
  with ordinality as page (window_minutes, has_rugged, sector, total, last, number)
on conflict (window_minutes, has_rugged, sector) do update set
  total = excluded.total, token_ids = excluded.token_ids
