-- Progress, ownership, what is still to be announced, and what was refused.

-- A lane's owner and how far it has read: the truth about progress. Leases go by this server's clock.
create table checkpoint (
  actor text collate "C" not null,
  lane smallint not null,
  epoch bigint not null default 0,
  owner text collate "C",
  leased_until timestamptz not null default '-infinity',
  stream_epoch text collate "C",
  sequence bigint not null default 0,
  commit_number bigint not null default 0,
  committed_at timestamptz,
  primary key (actor, lane)
) with (fillfactor = 50);

-- Worker processes that are alive, for sharing lanes out evenly.
create table worker (
  id text collate "C" primary key,
  actors text[] not null,
  seen_at timestamptz not null
) with (fillfactor = 50);

-- What a commit is to publish, until the next commit of its lane knows that it stands in FEED.
create table outbox (
  actor text collate "C" not null,
  lane smallint not null,
  commit_number bigint not null,
  part integer not null,
  subject text collate "C" not null,
  payload bytea not null,
  primary key (actor, lane, commit_number, part)
);

alter table outbox alter column payload set storage external;
alter table outbox set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

create table dead_letter (
  id bigint generated always as identity primary key,
  actor text collate "C" not null,
  lane smallint not null,
  stream_epoch text collate "C" not null,
  sequence bigint not null,
  part integer not null,
  subject text collate "C" not null,
  reason text not null,
  payload bytea not null,
  created_at timestamptz not null default now(),
  retried_at timestamptz,
  unique (actor, lane, stream_epoch, sequence, part)
);

-- What became of the events of one run of `ingest`: counted in the commits that decided it.
create table ingest_run (
  id text collate "C" not null,
  lane smallint not null,
  accepted bigint not null default 0,
  duplicate bigint not null default 0,
  conflict bigint not null default 0,
  other bigint not null default 0,
  dead bigint not null default 0,
  updated_at timestamptz not null default now(),
  primary key (id, lane)
) with (fillfactor = 50);
