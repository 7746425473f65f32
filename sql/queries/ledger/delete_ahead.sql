-- Deletes the applied-ahead mark of a lane. $1 smallint: lane. Index: ledger_ahead_pkey.
delete from ledger_ahead where lane = $1
