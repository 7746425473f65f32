-- Notifies rankings that candles and traders of tokens changed. $1 integer[]: token ids.
insert into token_change (token_id, of_candles) select unnest($1::integer[]), true
