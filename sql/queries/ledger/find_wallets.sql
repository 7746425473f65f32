-- Ids of wallets. $1 text[]: addresses. Index: the unique key of wallet.
select id, address from wallet where address = any ($1::text[])
