-- Addresses of wallets. $1 integer[]: ids. Index: the primary key of wallet.
select id, address from wallet where id = any ($1::integer[])
