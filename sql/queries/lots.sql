-- name: lots/find_position
-- The position of a wallet in a mint: its ids, the mint's decimals, and the canonical order key of its newest swap; no
-- row without a position.
-- $1 text: wallet, $2 text: mint. Index: wallet_address_key, token_address_key, the primary key of position,
-- that of mint_decimals().
select
  position.wallet_id,
  position.token_id,
  (select newest.decimals from mint_decimals(position.token_id) as newest) as decimals,
  position.last_slot as slot,
  position.last_block_tx_index as block_tx_index,
  position.last_ix_index as ix_index,
  position.last_dex as dex,
  position.last_is_buy as is_buy,
  position.last_signature as signature,
  position.last_pair as pair_address,
  position.last_sol_amount as sol_amount,
  position.last_token_amount as token_amount
from position
join wallet on wallet.id = position.wallet_id
join token on token.id = position.token_id
where wallet.address = $1 and token.address = $2
