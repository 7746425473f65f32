-- Slots that left the chain, and what was taken out of the tables with them. Written by the pool actor.

-- One row a retraction and pool lane. From the commit that stores it the lane leaves out events of the slot; a later
-- commit of the lane applies it, and sets `is_applied` and the counts. `blockhash` is empty where the source gave none.
create table retraction (
  slot bigint not null,
  blockhash text collate "C" not null default '',
  lane smallint not null,
  is_applied boolean not null default false,
  swap_count integer not null default 0,
  pool_event_count integer not null default 0,
  retracted_at timestamptz not null default now(),
  primary key (slot, blockhash, lane)
);

create index retraction_lane on retraction (lane, slot);

-- Swaps that retractions took out of `swap`, as they were there. A commit that applied one publishes them again as
-- retracted, and finds its rows by its transaction.
create table retracted_swap (like swap);

create index retracted_swap_order on retracted_swap (slot, block_tx_index, ix_index, dex);

-- Pool events that retractions took out of `pool_event`, likewise.
create table retracted_pool_event (like pool_event);

create index retracted_pool_event_order on retracted_pool_event (slot, block_tx_index, ix_index, dex);

-- A position that waits for its recompute because swaps were retracted: the least of their times, Unix ms. Days of its
-- wallet's chart from there on are computed again.
alter table position_refold add column retracted_ms bigint;

-- The lane that is to accept the rejected version, because the one that it contradicts was retracted.
alter table event_conflict add column readmit_lane smallint;

create index event_conflict_readmit on event_conflict (readmit_lane) where readmit_lane is not null;
create index event_conflict_stored_slot on event_conflict (stored_slot);
create index event_conflict_kept_out_slot on event_conflict (kept_out_slot);
