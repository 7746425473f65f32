-- name: migrations/bound_locks
-- Bounds how long a statement of the transaction waits for a lock, because later requests queue after it. Less than
-- deadlock_timeout, so that of two that wait for each other this one gives way.
set local lock_timeout = '900ms'

-- name: migrations/create_function_file
-- The table of applied function files.
create table if not exists function_file (
  name text primary key,
  checksum text not null,
  applied_at timestamptz not null default now()
)

-- name: migrations/create_migration
-- The table of applied migrations.
create table if not exists migration (
  name text primary key,
  checksum text not null,
  applied_at timestamptz not null default now()
)

-- name: migrations/insert_migration
-- $1 text: file name, $2 text: SHA-256 of its text.
insert into migration (name, checksum) values ($1, $2)

-- name: migrations/list_function_files
-- Applied function files with the checksum of their text.
select name, checksum from function_file

-- name: migrations/list_migrations
-- Applied migrations with the checksum of their text.
select name, checksum from migration

-- name: migrations/list_older_parts
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

-- name: migrations/lock_migrations
-- One process migrates at a time; held until the connection ends.
select pg_advisory_lock(7305941621)

-- name: migrations/merge_function_file
-- $1 text: file name, $2 text: SHA-256 of its text.
insert into function_file (name, checksum) values ($1, $2)
on conflict (name) do update set checksum = excluded.checksum, applied_at = now()

-- name: migrations/merge_venues
-- The venues of the program's table; rows that are equal are not written. Pairwise: $1 smallint[] dex, $2 text[] name,
-- $3 boolean[] has_reserves, $4 bigint[] missing_lamports, $5 bigint[] missing_from_ms. Result: the venues written.
insert into venue
select * from unnest($1::smallint[], $2::text[], $3::boolean[], $4::bigint[], $5::bigint[])
on conflict (dex) do update set
  name = excluded.name, has_reserves = excluded.has_reserves,
  missing_lamports = excluded.missing_lamports, missing_from_ms = excluded.missing_from_ms
where (venue.name, venue.has_reserves, venue.missing_lamports, venue.missing_from_ms)
  is distinct from
  (excluded.name, excluded.has_reserves, excluded.missing_lamports, excluded.missing_from_ms)
returning name
