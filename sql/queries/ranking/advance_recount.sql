-- Tokens before this one are counted. $1 integer: token.
update ranking_recount set next_token_id = $1
