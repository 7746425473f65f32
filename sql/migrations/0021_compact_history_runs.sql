-- Outcomes of sealing and of verifications of sealed history, for operators (history/operating). Nothing is computed from these
-- rows.

-- The newest run of each kind, `seal` or `verify`. `hours`: SEAL_AFTER_HOURS of a seal, null where it is not set;
-- `outcome`: running, done, waits or failed of a seal, whole or damaged of a verification; `cause`: of one that waits;
-- `reason`: the same, or the error, in words; `since`: of the first run in a row with this outcome and cause;
-- `caught_up_at`: when nothing was left to seal last, or when sealing was switched on; `segments`, `damaged`: of a verification.
create table history_run (
  kind text collate "C" primary key check (kind in ('seal', 'verify')),
  hours integer,
  outcome text collate "C" not null check (outcome in ('running', 'done', 'waits', 'failed', 'whole', 'damaged')),
  cause text collate "C",
  reason text,
  since timestamptz not null default now(),
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  caught_up_at timestamptz,
  segments integer,
  damaged integer
);

-- How often runs of the sealer ended by waiting, by cause.
create table history_wait (
  cause text collate "C" primary key,
  waits bigint not null,
  waited_at timestamptz not null
);
