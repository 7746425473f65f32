-- The index of swaps of 50 SOL or more, which the one of 10 SOL replaces.
drop index swap_whale;
