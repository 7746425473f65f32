-- name: lots/find_position
-- The position of a wallet in a mint: its ids, the mint's decimals, how many swaps it holds, and what it states of the
-- newest of them; no row without a position.
-- $1 text: wallet, $2 text: mint. Index: wallet_address_key, token_address_key, the primary key of position,
-- that of mint_decimals().
select
  position.wallet_id,
  position.token_id,
  (select newest.decimals from mint_decimals(position.token_id) as newest) as decimals,
  position.swap_count,
  position.last_slot,
  position.last_ix_index,
  position.last_dex,
  position.last_is_buy,
  position.last_sol_amount,
  position.last_token_amount
from position
join wallet on wallet.id = position.wallet_id
join token on token.id = position.token_id
where wallet.address = $1 and token.address = $2
