-- Ids of wallets that are known. $1 text[]: addresses. Index: the unique key of wallet.
select id, address from wallet where address = any ($1::text[])
