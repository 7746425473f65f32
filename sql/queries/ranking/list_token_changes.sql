-- Tokens whose sector, creator or positions (by more than the events of FEED) may have changed; with `wallet_id`, of
-- which only that wallet's position may; or, `of_candles`, whose candles may. $1 integer: how many rows at most. Index:
-- token_change_pkey.
select id, token_id, wallet_id, of_candles from token_change order by id limit $1
