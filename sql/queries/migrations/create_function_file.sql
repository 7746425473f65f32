-- The table of applied function files.
create table if not exists function_file (
  name text primary key,
  checksum text not null,
  applied_at timestamptz not null default now()
)
