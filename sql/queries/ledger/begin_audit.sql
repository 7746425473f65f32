-- A lane may have missed something: all its wallets are to be looked at. Before the first swap is stored
-- there was nothing to miss. $1 smallint: lane.
insert into ledger_audit (lane)
select $1::smallint where exists (select from swap)
on conflict (lane) do update set next_wallet_id = 0
