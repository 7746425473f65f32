-- Live parts and commands of versions that lack a migration, by their sessions, which end in the number of the newest
-- migration of their version, and by the heartbeats of workers, whose sessions a pooler may lend to others. Versions before
-- these numbers have none. $1 text: number of the migration. Sessions of the caller's name are its own.
select name
from (
  select application_name as name
  from pg_stat_activity
  where datname = current_database()
    and application_name <> current_setting('application_name')
    and (
      application_name ~ '^swaptide( |/|$)' or application_name ~ '/\d{4}$'
      or exists (select from worker where id = application_name)
    )
  union
  select id from worker
  where seen_at between clock_timestamp() - interval '1 minute' and clock_timestamp() + interval '1 minute'
) as part
where coalesce(substring(name from '/(\d{4})$'), '0000') < $1
order by name
