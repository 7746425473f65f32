-- name: runs/sum_run
-- Outcome counts of a run of ingest, each event in one of them. $1 text: run id. Index: the primary key of ingest_run.
select
  coalesce(sum(accepted), 0)::bigint as accepted,
  coalesce(sum(duplicate - retracted_swap - dropped_swap), 0)::bigint as duplicate,
  coalesce(sum(conflict), 0)::bigint as conflict,
  coalesce(sum(other - retracted_pool_event - dropped_pool_event), 0)::bigint as other,
  coalesce(sum(dead), 0)::bigint as dead,
  coalesce(sum(retracted_swap), 0)::bigint as retracted_swap,
  coalesce(sum(retracted_pool_event), 0)::bigint as retracted_pool_event,
  coalesce(sum(dropped_swap), 0)::bigint as dropped_swap,
  coalesce(sum(dropped_pool_event), 0)::bigint as dropped_pool_event
from ingest_run
where id = $1
