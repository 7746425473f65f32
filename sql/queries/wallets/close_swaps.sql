-- Closes the cursor of open_swaps, so that it may be opened again.
close wallet_swaps
