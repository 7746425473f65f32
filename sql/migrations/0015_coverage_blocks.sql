-- The blocks that the ranges of `coverage` count, so that a retraction subtracts one.

-- One row a block and range key: the swaps of the block that are counted in the range of the key which holds its slot; 0
-- after a retraction of the block. A slot that was skipped when it was read has a row with blockhash ''. Written with
-- `coverage`, in the same transaction. Only the newest slots are listed: retractions of older ones are refused.
create table coverage_block (
  slot bigint not null,
  blockhash text collate "C" not null,
  venues integer not null,
  decoder_version smallint not null,
  source text collate "C" not null,
  commitment text collate "C" not null,
  swaps integer not null,
  primary key (slot, blockhash, venues, decoder_version, source, commitment)
);
