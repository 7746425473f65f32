-- Stores the watermarks of a recompute from the `swap` table: every lane passes over commits of the pool lanes up to these.
-- $1 integer: lane count; pairwise: $2 integer[] pool_lane, $3 bigint[] commit_number.
insert into ledger_cover (lane, pool_lane, commit_number)
select lane, cover.pool_lane, cover.commit_number
from generate_series(0, $1::integer - 1) as lane
cross join unnest($2::integer[], $3::bigint[]) as cover (pool_lane, commit_number)
on conflict (lane, pool_lane) do update set
  commit_number = greatest(ledger_cover.commit_number, excluded.commit_number)
