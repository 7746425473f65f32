-- Ends what open_token_trades began, so that it may begin again.
close token_trades
