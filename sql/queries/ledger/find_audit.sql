-- The wallet at which the audit of a lane continues. $1 smallint: lane.
select next_wallet_id from ledger_audit where lane = $1
