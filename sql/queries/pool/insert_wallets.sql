-- Interns wallets. $1 text[]: addresses, sorted. Result: those that were new.
insert into wallet (address)
select unnest($1::text[])
on conflict (address) do nothing
returning id, address
