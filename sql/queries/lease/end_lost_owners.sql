-- Ends the sessions of worker processes that let a lease run out. One that is frozen, or whose machine
-- is gone without a word, may have left transactions open: nobody could take the lanes that they hold,
-- and whoever needs a row that they locked would wait with them. A worker's sessions bear its id.
-- $1 text: the asking worker's id, $2 text[]: actors. Result: one row a session.
select pg_terminate_backend(pg_stat_activity.pid, 1000) as is_ended
from (
  select distinct owner
  from checkpoint
  where actor = any ($2::text[])
    and owner <> $1
    and leased_until < clock_timestamp()
) as lost
join pg_stat_activity
  on pg_stat_activity.application_name = lost.owner
  and pg_stat_activity.datname = current_database()
