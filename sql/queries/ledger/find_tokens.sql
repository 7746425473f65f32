-- Ids of mints. $1 text[]: addresses. Index: the unique key of token.
select id, address from token where address = any ($1::text[])
