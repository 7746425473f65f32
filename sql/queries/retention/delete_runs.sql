-- Deletes counts of runs of `ingest` without an addition for so long. $1 integer: days.
delete from ingest_run where updated_at < now() - $1::integer * interval '1 day'
