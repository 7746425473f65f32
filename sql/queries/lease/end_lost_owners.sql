-- Ends the sessions of worker processes that let a lease run out. One that is frozen, or whose machine
-- is gone without a word, may have left transactions open: nobody could take the lanes that they hold,
-- and whoever needs a row that they locked would wait with them. One that lives may have a commit that takes
-- long, in whose row its lease is: it has a minute. A worker's sessions bear its id.
-- $1 text: the asking worker's id, $2 text[]: actors, $3 integer: milliseconds after which a silent worker is gone.
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
