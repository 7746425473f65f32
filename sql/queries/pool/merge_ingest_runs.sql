-- Adds to what became of the events of runs of ingest. Pairwise: $1 text[] id, $2 smallint[] lane,
-- $3 bigint[] accepted, $4 bigint[] duplicate, $5 bigint[] conflict, $6 bigint[] other, $7 bigint[] dead.
insert into ingest_run as run (id, lane, accepted, duplicate, conflict, other, dead)
select *
from unnest(
  $1::text[], $2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[]
)
on conflict (id, lane) do update set
  accepted = run.accepted + excluded.accepted,
  duplicate = run.duplicate + excluded.duplicate,
  conflict = run.conflict + excluded.conflict,
  other = run.other + excluded.other,
  dead = run.dead + excluded.dead,
  updated_at = now()
