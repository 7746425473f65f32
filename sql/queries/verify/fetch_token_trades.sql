-- The next rows of open_token_trades; none at the end.
fetch forward 20000 from token_trades
