-- Word that was taken. $1 bigint[]: ids. Index: token_change_pkey.
delete from token_change where id = any ($1::bigint[])
