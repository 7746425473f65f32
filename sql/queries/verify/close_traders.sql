-- Ends what open_traders began, so that it may begin again.
close traders
