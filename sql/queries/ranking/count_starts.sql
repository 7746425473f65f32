-- How many tokens have a swap. Reads the whole of token_start.
select count(*) as tokens from token_start
