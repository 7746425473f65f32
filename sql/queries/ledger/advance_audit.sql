-- A page of an audit is done. $1 smallint: lane, $2 integer: wallet id to go on from.
update ledger_audit set next_wallet_id = $2 where lane = $1
