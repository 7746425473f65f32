-- The next rows of open_swaps; none at the end.
fetch forward 1000 from wallet_swaps
