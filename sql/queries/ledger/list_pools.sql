-- All pools with their mints.
select id, pair_address, token_id from pool
