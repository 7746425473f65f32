-- Tokens whose sector, creator or positions (by more than what the feed tells of) may be others; or, `of_candles`,
-- whose candles may. $1 integer: how many rows at most. Index: token_change_pkey.
select id, token_id, of_candles from token_change order by id limit $1
