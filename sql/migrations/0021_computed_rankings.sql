-- Rankings as of a slot that are computed by jobs, for a day. Redis holds requests to compute only. Its name sorts before the
-- removal of the same release, which waits for parts of the version before.

-- Columns as those of backtest; `wallets_done` of `wallets` are folded, and `wallets` is 0 until they are counted.
create table past_ranking (
  id uuid primary key,
  lineage text not null,
  identity text not null,
  request text not null,
  status text not null default 'waiting' check (status in ('waiting', 'running', 'done', 'failed')),
  job_slot smallint,
  wallets integer not null,
  wallets_done integer not null default 0,
  version integer not null default 0,
  starts integer not null default 0,
  failure text,
  answer text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  changed_at timestamptz not null default now(),
  unique (lineage, job_slot)
);

create index past_ranking_identity on past_ranking (lineage, identity);
create index past_ranking_age on past_ranking (created_at);
