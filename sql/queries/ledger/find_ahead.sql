-- Applied-ahead mark of a lane: swaps applied of messages that it reads again. $1 smallint: lane. Index: ledger_ahead_pkey.
select sequence, slot from ledger_ahead where lane = $1
