-- All tokens are counted.
delete from ranking_recount
