-- Replaces stored pages of movers. Pairwise: $1 integer[] window_minutes, $2 smallint[] dex, $3 boolean[] is_gainer, $4
-- integer[] where their tokens end in $5 integer[]: token ids of all of them, page after page. Index: the primary key.
insert into mover_page (window_minutes, dex, is_gainer, token_ids)
select
  page.window_minutes, page.dex, page.is_gainer,
  ($5::integer[])[lag(page.last, 1, 0) over (order by page.number) + 1:page.last]
from unnest($1::integer[], $2::smallint[], $3::boolean[], $4::integer[])
  with ordinality as page (window_minutes, dex, is_gainer, last, number)
on conflict (window_minutes, dex, is_gainer) do update set token_ids = excluded.token_ids
