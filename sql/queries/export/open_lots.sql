-- Begins to read the swaps of positions that hold a balance, as far as the ledger has read, each position in canonical
-- order: a cursor of the transaction, read by fetch_rows. Sorts them by wallet, mint and that order.
declare exported_lots no scroll cursor for
select
  wallet.address as wallet, token.address as mint, pool.token_id, swap.slot, swap.block_tx_index, swap.ix_index,
  swap.dex, swap.is_buy, swap.signature, pool.pair_address, swap.sol_amount, swap.token_amount,
  swap.timestamp_ms, swap.quote_decimals, swap.transfer_fee_in, swap.transfer_fee_out
from position
join wallet on wallet.id = position.wallet_id
join token on token.id = position.token_id
join pool on pool.token_id = position.token_id
join swap on swap.pool_id = pool.id and swap.wallet_id = position.wallet_id
where position.balance > 0
  and (
    swap.slot, swap.block_tx_index, swap.ix_index, swap.dex, not swap.is_buy, swap.signature, pool.pair_address,
    swap.sol_amount, swap.token_amount
  ) <= (
    position.last_slot, position.last_block_tx_index, position.last_ix_index, position.last_dex,
    not position.last_is_buy, position.last_signature, position.last_pair, position.last_sol_amount,
    position.last_token_amount
  )
order by
  wallet.address, token.address, swap.slot, swap.block_tx_index, swap.ix_index, swap.dex, swap.is_buy desc,
  swap.signature, pool.pair_address, swap.sol_amount, swap.token_amount
