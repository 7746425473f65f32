-- Positions of a wallet with cash flow that no cost basis knows: sells without a buy, and buys that brought nothing.
-- $1 text: wallet. Result: the wallet's id, and the place of the position's newest swap that the ledger has read.
-- Without either, basis = realized_adjusted - (sells - buys). Index: wallet_address_key, position_pkey.
select wallet_id, token_id, last_slot, last_block_tx_index, last_ix_index
from position
where wallet_id = (select id from wallet where address = $1)
  and (
    uncovered_lamports <> 0
    or basis <> realized_adjusted - sells_lamports + buys_lamports
  )
