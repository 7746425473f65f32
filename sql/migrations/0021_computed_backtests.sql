-- Copy back-tests that are computed by jobs, and their answers, for a day. Redis holds requests to compute only. Its name sorts before the
-- removal of the same release, which waits for parts of the version before.

-- A back-test. `lineage`: the key that began it and those that it was rotated to; `identity`: hash of its settings and of what they are
-- answered from; `request`: JSON of the settings, with their slots. `job_slot`: its number among the jobs that the lineage may have at once, null
-- where it has ended. `orders_done` and `slot`: the last order that all runs took. `version` counts the changes of the row, `starts` its
-- runs. `answer`: JSON without trades, whose number `trades` is; both are of a status that is `done`.
create table backtest (
  id uuid primary key,
  lineage text not null,
  identity text not null,
  request text not null,
  status text not null default 'waiting' check (status in ('waiting', 'running', 'done', 'failed')),
  job_slot smallint,
  orders integer not null,
  orders_done integer not null default 0,
  slot bigint,
  version integer not null default 0,
  starts integer not null default 0,
  failure text,
  answer text,
  trades integer not null default 0,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  changed_at timestamptz not null default now(),
  unique (lineage, job_slot)
);

create index backtest_identity on backtest (lineage, identity);
create index backtest_age on backtest (created_at);

-- Trades of an answer, a thousand a row: a JSON list. `first`: index of its first trade.
create table backtest_trades (
  backtest_id uuid not null references backtest on delete cascade,
  first integer not null,
  body text not null,
  primary key (backtest_id, first)
);
