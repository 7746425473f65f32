-- The first token that is still to be recounted; no row when none is.
select next_token_id from ranking_recount
