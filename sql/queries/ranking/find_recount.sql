-- From which token on tokens are to be counted anew; nothing when none is.
select next_token_id from ranking_recount
