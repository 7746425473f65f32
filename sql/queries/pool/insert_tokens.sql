-- Interns mints. $1 text[]: addresses, sorted (so that two writers never wait crosswise).
insert into token (address)
select unnest($1::text[])
on conflict (address) do nothing
