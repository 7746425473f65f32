-- What a lane has applied of messages that it reads again is not known. $1 smallint: lane. Index: ledger_ahead_pkey.
delete from ledger_ahead where lane = $1
