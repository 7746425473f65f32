-- Mints by their ids.
-- $1 integer[]: token ids. Index: token_pkey.
select id, address as mint from token where id = any ($1)
