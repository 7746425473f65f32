-- API keys: SHA-256 only, with the first and last four characters as a hint, and who did what.

create table api_key (
  id integer generated always as identity primary key,
  key_hash bytea not null unique,
  hint_first text not null,
  hint_last text not null,
  environment text not null check (environment in ('live', 'dev', 'test')),
  tier text not null check (tier in ('free', 'developer', 'pro', 'enterprise')),
  account text not null,
  lineage uuid not null,
  created_at timestamptz not null default now(),
  grace_until timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);

create index api_key_lineage on api_key (lineage);

create table api_key_audit (
  id bigint generated always as identity primary key,
  key_id integer not null references api_key,
  action text not null check (action in ('created', 'rotated', 'revoked')),
  actor text not null,
  at timestamptz not null default now()
);
