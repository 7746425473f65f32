-- Closes the cursor of open_traders, so that it may be opened again.
close traders
