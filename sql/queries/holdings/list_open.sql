-- Holdings of a wallet by its swaps alone: its open positions, with the present price.
-- $1 integer: wallet id.
-- Result: balance and lots_cost (lamports) are exact numerics; price is SOL a whole token, null without
-- one; price_is_stale also then. Index: position_pkey, token_pkey, those of token_prices() and mint_decimals().
with owned as materialized (
  select token_id, balance, lots_cost
  from position
  where wallet_id = $1 and balance > 0
)
select
  token.address as mint,
  owned.token_id,
  owned.balance,
  coalesce(
    priced.decimals, (select newest.decimals from mint_decimals(owned.token_id) as newest)
  ) as decimals,
  owned.lots_cost,
  priced.price,
  coalesce(priced.price_ms < (select newest_swap_ms()) - 86400000::bigint, true) as price_is_stale,
  (select sol_usd()) as sol_usd
from owned
join token on token.id = owned.token_id
left join token_prices(array(select token_id from owned)) priced on priced.token_id = owned.token_id
