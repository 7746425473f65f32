-- Positions without the texts and the transactions of their newest swap, which only broke ties within its slot: those are broken by
-- the stored swaps. Rows that are written from now on have the defaults: a transaction index that no swap of the slot reaches makes
-- the ledger of the version before recompute the position where another swap of its slot arrives, too. Rows that exist stay as they
-- are until they are written again. Its name sorts before the removal of the same release, which waits for parts of the version
-- before.
alter table position
  alter column last_block_tx_index set default 9007199254740991,
  alter column last_sides set default 0,
  alter column last_signature set default '',
  alter column last_pair set default '';
