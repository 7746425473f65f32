-- Tokens with a trade at or after a time. $1 bigint: Unix ms. Reads the whole of pool.
select distinct token_id from pool where newest_ms >= $1
