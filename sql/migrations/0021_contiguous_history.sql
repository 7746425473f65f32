-- Sealed history that is dropped after some days. Written by the sealer in the transaction that deletes the segments, and read with
-- these (history/sealed/state.ts). Its name sorts before the removal of the same release, which waits for parts of the version before.

-- Where stored swaps begin; no row: none is to be dropped. Swaps of slots below `since_slot` no longer count, but for the few that
-- functions of the database read; all of them are earlier than `since_ms` (Unix ms, a whole minute); 0 before the first drop.
-- `dropped_swaps`: of all drops. `days`: HISTORY_DAYS. `begun_ms`: the newest swap when ledger lanes began to store snapshots for it.
create table history_bound (
  is_only boolean primary key default true check (is_only),
  since_slot bigint not null default 0,
  since_ms bigint not null default 0,
  dropped_swaps bigint not null default 0,
  days integer not null,
  begun_ms bigint not null,
  dropped_at timestamptz
);

-- The last dropped swaps of each pool, which its state follows from: all of the last slot, the last one that sets a price, with those at its
-- position, and one with the greatest time. `stays`: the row is in `swap` as well. A column that `swap` gets is added here.
create table last_dropped_swap (like swap, stays boolean not null);
create index last_dropped_swap_pool on last_dropped_swap (pool_id);

-- A snapshot that is made when a day of swaps begins has the hours of its segment so far (`hours`: rows of position_hour), so that
-- recomputing begins within a segment. `next_slot`: the least slot of a swap that was applied to the position after the snapshot;
-- null: not known. A snapshot contains all dropped swaps of its position where that is a stored slot.
alter table position_snapshot add column hours jsonb, add column next_slot bigint;

-- Refusals of what needs dropped swaps, counted by pool or ledger lane. `kind`: `event`, a swap or pool
-- event of a dropped slot; `position`, swaps that a position could not be recomputed with; `slot`, `subject`: of the newest refusal:
-- signature, or wallet.
create table history_refusal (
  kind text collate "C" not null check (kind in ('event', 'position')),
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
