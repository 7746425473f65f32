-- First swaps of tokens. $1 $2 integer: from the first to before the second. Index: token_start_pkey.
select token_id, first_ms from token_start where token_id >= $1 and token_id < $2
