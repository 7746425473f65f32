-- The address of the document that a mint names (`uri`), as the transaction that made the mint or a token line states it,
-- with the slot of the line. Nothing is requested of it unless an operator switches that on.
alter table token
  add column uri text collate "C",
  add column uri_slot bigint;
