-- Tokens whose sector or creator may be another. $1 integer: how many rows at most. Index: token_change_pkey.
select id, token_id from token_change order by id limit $1
