-- Blocks by their hashes, so that a retraction takes back one block of a slot.

-- Base58 of 32 bytes: the block that an event happened in, where its source states it.
alter table swap add column blockhash text collate "C";
alter table pool_event add column blockhash text collate "C";
alter table retracted_swap add column blockhash text collate "C";
alter table retracted_pool_event add column blockhash text collate "C";

-- The newest blocks that a source of chain data published, one row a slot. A row is stored before the events of its block
-- are published: a source that begins finds by them which of its
-- blocks left the chain meanwhile.
create table chain_link (
  slot bigint primary key,
  blockhash text collate "C" not null,
  parent_slot bigint not null,
  parent_blockhash text collate "C" not null
);
