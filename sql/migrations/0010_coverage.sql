-- The slots of the chain that are counted in the numbers.

-- One row a run of slots, both ends included, that a source of chain data has read completely: every event of these
-- slots is stored in SWAP, and slots without a block were skipped by the chain. Written by the commands that run such a
-- source (deploy/chain), after JetStream has acknowledged the events. Rows of one key never overlap, and neighbours are
-- merged; rows of different keys may overlap.
--   venues           the venues that were decoded: bit 1 << dex
--   decoder_version  version of the decoder; a newer one may find more in the same slots
--   source           the source by its name
--   commitment       of the blocks when they were read: confirmed or finalized
--   swaps            events of kind swap in these slots, each counted once
create table coverage (
  venues integer not null check (venues > 0),
  decoder_version smallint not null,
  source text collate "C" not null,
  commitment text collate "C" not null,
  from_slot bigint not null,
  to_slot bigint not null,
  swaps bigint not null,
  updated_at timestamptz not null default now(),
  primary key (venues, decoder_version, source, commitment, from_slot),
  check (to_slot >= from_slot)
);
