-- Closes the cursor of open_token_trades, so that it may be opened again.
close token_trades
