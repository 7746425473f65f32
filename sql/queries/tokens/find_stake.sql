-- What a wallet has of a mint; no row where it never traded it.
-- $1 text: wallet, $2 integer: token id. Index: wallet_address_key, the primary key of position.
-- A row that begins with the wallet: written as token_id = y, the planner may walk all holders of a mint.
select
  position.balance, position.decimals, position.buys_lamports, position.sells_lamports,
  position.last_trade_ms
from wallet
join position
  on (position.wallet_id, position.token_id) >= (wallet.id, $2)
    and (position.wallet_id, position.token_id) <= (wallet.id, $2)
where wallet.address = $1
