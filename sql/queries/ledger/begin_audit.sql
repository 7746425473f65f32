-- A lane may have missed something: all its wallets are to be looked at. $1 smallint: lane.
insert into ledger_audit (lane) values ($1)
on conflict (lane) do update set next_wallet_id = 0
