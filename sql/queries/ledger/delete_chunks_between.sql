-- Deletes ledger rows of the wallets after one and up to another. $1 $2 integer: wallet ids.
-- Index: the primary key of lot_chunk.
delete from lot_chunk where wallet_id > $1 and wallet_id <= $2
