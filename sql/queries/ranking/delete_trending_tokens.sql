-- Tokens that are on no page. $1 integer[]: token ids. Index: the primary key.
delete from trending_token where token_id = any ($1::integer[])
