-- The largest buy of each position of a wallet, and what an open one is made of and costs now.
-- $1 integer: wallet id. Index: the primary key of position, those of token_prices.
select position.token_id, position.largest_buy_lamports, position.balance, position.decimals, price.price
from position
left join token_prices(
  array(select token_id from position where wallet_id = $1 and balance > 0)
) price on price.token_id = position.token_id
where position.wallet_id = $1
