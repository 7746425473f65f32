-- Widens the times of runs of slots. Pairwise: $1 smallint[] lane, $2 integer[] width,
-- $3 bigint[] bucket, $4 bigint[] first_ms, $5 bigint[] last_ms.
insert into slot_span as span (lane, width, bucket, first_ms, last_ms)
select *
from unnest($1::smallint[], $2::integer[], $3::bigint[], $4::bigint[], $5::bigint[])
on conflict (width, bucket, lane) do update set
  first_ms = least(span.first_ms, excluded.first_ms),
  last_ms = greatest(span.last_ms, excluded.last_ms)
