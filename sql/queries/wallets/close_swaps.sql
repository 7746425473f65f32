-- Ends what open_swaps began, so that it may begin again.
close wallet_swaps
