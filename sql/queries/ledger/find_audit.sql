-- Where the audit of a lane goes on. $1 smallint: lane.
select next_wallet_id from ledger_audit where lane = $1
