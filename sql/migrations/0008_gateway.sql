-- The gateway of the API: keys, usage, processes, and audits of what operators do. Written by the API and by the
-- command line. Audits are append-only (functions/append_only.sql).

-- API keys: the SHA-256 alone, with the first and last four characters as a hint. Keys that were rotated from one
-- another share a lineage. Every change but that of `last_used_at` is notified to the API's processes
-- (functions/change_notices.sql).
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

-- Audit of keys: action, actor and time.
create table api_key_audit (
  id bigint generated always as identity primary key,
  key_id integer not null references api_key,
  action text not null check (action in ('created', 'rotated', 'revoked')),
  actor text not null,
  at timestamptz not null default now()
);

-- Everything else that operators do.
create table operator_audit (
  id bigint generated always as identity primary key,
  action text not null,
  target text not null,
  actor text not null,
  at timestamptz not null default now(),
  constraint operator_audit_action_check check (
    action in (
      'dead_letter_retried', 'kol_stored', 'kol_removed', 'sector_stored', 'replay_started', 'replay_stopped'
    )
  )
);

-- Requests of a key's lineage in a calendar month (`month`: its first day), added up by each process of the API.
create table api_usage (
  lineage uuid not null,
  month date not null,
  requests bigint not null,
  primary key (lineage, month)
);

-- Processes of the API that are alive, each by its heartbeat. Unlogged: after a crash of the server they report again.
create unlogged table api_instance (
  id uuid primary key,
  seen_at timestamptz not null
);
