-- Swaps of 10 SOL or more, by default the list of whales: the index of 50 SOL left that list to a scan of all swaps.
-- Reads every stored swap once, during which new ones wait in SWAP.
create index swap_large on swap (slot, block_tx_index, ix_index, dex)
  where sol_amount >= 10000000000;
