-- name: retention/delete_conflicts
-- Conflicts that were seen so long ago. $1 integer: days.
delete from event_conflict where seen_at < now() - $1::integer * interval '1 day'

-- name: retention/delete_retried
-- Deletes dead letters that were sent again so long ago, and dead letters of FEED, which are never sent again, of that
-- age.
-- $1 integer: days.
delete from dead_letter
where coalesce(retried_at, case when actor <> 'pool' then created_at end)
  < now() - $1::integer * interval '1 day'

-- name: retention/delete_runs
-- Deletes counts of runs of `ingest` without an addition for so long. $1 integer: days.
delete from ingest_run where updated_at < now() - $1::integer * interval '1 day'
