-- Lists in an order that follows from the events alone: the order of ids is that of arrival. Each statement reads every pool
-- or token once, during which writers of the table wait. Its name sorts before the removal of the same release, which waits
-- for parts of the version before and would hold it up.

-- Pools by when they traded first; those that tie in a slot are sorted by their accounts.
create index pool_first_slot on pool (first_slot);
create index pool_dex_first_slot on pool (dex, first_slot);

-- Search reads a bounded number of tokens; where more have one symbol or name, the first of them by mint.
create index token_symbol_mint on token (symbol_key, address);
create index token_name_mint on token (name_key, address);
