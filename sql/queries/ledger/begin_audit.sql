-- Begins an audit of all wallets of a lane, which may have missed messages. Not before the first swap is stored. $1
-- smallint: lane.
insert into ledger_audit (lane)
select $1::smallint where exists (select from swap)
on conflict (lane) do update set next_wallet_id = 0
