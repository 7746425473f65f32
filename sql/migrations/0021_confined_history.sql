-- Sealed history that is dropped after some days. Written by the sealer in the transaction that deletes the segments, and read with
-- these (history/sealed/state.ts). Its name sorts before the removal of the same release, which waits for parts of the version before.

-- Where stored swaps begin; no row: none was dropped. Swaps of slots below `since_slot` no longer count, but for the few that
-- functions of the database read; all of them are earlier than `since_ms` (Unix ms, a whole minute). `dropped_swaps`: of all drops.
create table history_bound (
  is_only boolean primary key default true check (is_only),
  since_slot bigint not null,
  since_ms bigint not null,
  dropped_swaps bigint not null,
  dropped_at timestamptz not null default now()
);

-- Refusals of what needs dropped swaps, counted by pool or ledger lane. `kind`: `event`, a swap or pool
-- event of a dropped slot; `position`, swaps that a position could not be recomputed with; `slot`, `subject`: of the newest refusal:
-- signature, or wallet and mint.
create table history_refusal (
  kind text collate "C" not null check (kind in ('event', 'position', 'retraction')),
  lane smallint not null,
  refused bigint not null,
  slot bigint not null,
  subject text not null,
  refused_at timestamptz not null default now(),
  primary key (kind, lane)
);

-- Events of a run that were refused because swaps of their slots were dropped; `duplicate` and `other` contain them as well, for the
-- version before.
alter table ingest_run add column dropped_swap bigint not null default 0, add column dropped_pool_event bigint not null default 0;
