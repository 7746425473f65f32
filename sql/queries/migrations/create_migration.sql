-- The table of applied migrations.
create table if not exists migration (
  name text primary key,
  checksum text not null,
  applied_at timestamptz not null default now()
)
