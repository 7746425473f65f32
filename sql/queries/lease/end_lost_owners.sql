-- Ends the sessions of worker processes whose lease expired. A frozen process, or one whose machine vanished, may have
-- left transactions open: their lanes could not be claimed, and other transactions would wait for their row locks. A
-- live one may have a long commit, which holds the row of its lease: it has a minute. A worker's sessions bear its id.
-- $1 text: the calling worker's id, $2 text[]: actors, $3 integer: milliseconds after which a silent worker counts as
-- dead.
-- Result: one row a session.
select pg_terminate_backend(pg_stat_activity.pid, 1000) as is_ended
from (
  select distinct owner
  from checkpoint
  where actor = any ($2::text[])
    and owner <> $1
    and leased_until < clock_timestamp()
    and (
      leased_until < clock_timestamp() - interval '1 minute'
      or not exists (
        select
        from worker
        where worker.id = checkpoint.owner
          and seen_at > clock_timestamp() - $3::integer * interval '1 millisecond'
      )
    )
) as lost
join pg_stat_activity
  on pg_stat_activity.application_name = lost.owner
  and pg_stat_activity.datname = current_database()
