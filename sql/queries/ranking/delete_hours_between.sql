-- Tokens from $1 to before $2, integers. Index: the primary key.
delete from trader_hour where token_id >= $1 and token_id < $2
