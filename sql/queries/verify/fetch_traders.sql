-- The next rows of open_traders, each with a thousand wallets of either side at most; none at the end.
fetch forward 2000 from traders
