-- An audit is done. $1 smallint: lane.
delete from ledger_audit where lane = $1
