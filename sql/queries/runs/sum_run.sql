-- Outcome counts of a run of ingest. $1 text: run id. Index: the primary key of ingest_run.
select
  coalesce(sum(accepted), 0)::bigint as accepted,
  coalesce(sum(duplicate), 0)::bigint as duplicate,
  coalesce(sum(conflict), 0)::bigint as conflict,
  coalesce(sum(other), 0)::bigint as other,
  coalesce(sum(dead), 0)::bigint as dead
from ingest_run
where id = $1
