-- name: holdings/list_mints
-- Facts of mints that a wallet holds on chain: its position in each, and the present price.
-- $1 integer: wallet id, null for a wallet without a swap; $2 text[]: mints.
-- Result: those of the mints that were ever traded; balance and lots_cost (lamports) are exact numerics,
-- 0 without a position; price is SOL a whole token, null without one; price_is_stale also then; decimals are those
-- of the mint's newest swap, null before the first.
-- Index: token_address_key, position_pkey, that of mint_decimals(). Written as wallet_id = x and token_id = y, the planner may take
-- the index of tokens, most of which few wallets hold, and walk past all the holders of a popular one.
with held as materialized (
  select token.id as token_id, token.address as mint
  from unnest($2::text[]) as wanted (mint)
  join token on token.address = wanted.mint
)
select
  held.mint,
  held.token_id,
  coalesce(position.balance, 0) as balance,
  coalesce(position.lots_cost, 0) as lots_cost,
  coalesce(
    priced.decimals, (select newest.decimals from mint_decimals(held.token_id) as newest)
  ) as decimals,
  priced.price,
  coalesce(priced.price_ms < (select newest_swap_ms()) - 86400000::bigint, true) as price_is_stale,
  (select sol_usd()) as sol_usd
from held
left join position
  on (position.wallet_id, position.token_id) >= ($1, held.token_id)
  and (position.wallet_id, position.token_id) <= ($1, held.token_id)
left join token_prices(array(select token_id from held)) priced on priced.token_id = held.token_id

-- name: holdings/list_open
-- Holdings of a wallet by its swaps only: its open positions, with the present price.
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
