-- What some wallets have of a mint, and whether each is smart money in any mint.
-- $1 integer: token id; $2 text[]: wallets. Index: wallet_address_key, the primary key of position,
-- wallet_tag_smart, of one wallet after the other: as `exists`, all smart money may be hashed. A row that begins with
-- the wallet, as in find_stake.
select
  wallet.address as wallet, position.balance, position.decimals, position.largest_buy_lamports,
  coalesce(
    (select true from wallet_tag where wallet_tag.wallet_id = wallet.id and wallet_tag.tag = 'smart_money' limit 1),
    false
  ) as is_smart
from wallet
join position
  on (position.wallet_id, position.token_id) >= (wallet.id, $1)
    and (position.wallet_id, position.token_id) <= (wallet.id, $1)
where wallet.address = any ($2)
