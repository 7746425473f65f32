-- Begins to read positions by wallet and mint: a cursor of the transaction, read by fetch_rows. $1 $2 bigint: first
-- and last last_trade_ms. Their prices and decimals are read by list_prices. Index: wallet_tag_pkey; sorts them.
declare exported_positions no scroll cursor for
select
  wallet.address as wallet,
  token.address as mint,
  position.token_id,
  {+position_columns},
  array(
    select tag from wallet_tag
    where wallet_tag.wallet_id = position.wallet_id and wallet_tag.token_id = position.token_id
    order by tag
  ) as tags
from position
join wallet on wallet.id = position.wallet_id
join token on token.id = position.token_id
where position.last_trade_ms between $1 and $2
order by wallet.address, token.address
