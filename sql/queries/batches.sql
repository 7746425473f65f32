-- name: batches/list_pairs
-- Positions of pairs of a wallet and a mint, priced now: a row for each pair that has one.
-- $1 text[], $2 text[]: wallets and mints (pairwise); a pair may be given several times.
-- Result: `ordinal` is that of the pair, from 1 on. Index: wallet_address_key, token_address_key, position_pkey,
-- wallet_tag_pkey, those of token_prices() and mint_decimals(). Prices are looked up once for all pairs. A row that
-- begins with the wallet: written as token_id = y, the planner may scan all holders of a mint.
with requested as materialized (
  select
    each.ordinal, each.wallet, each.mint, wallet.id as wallet_id, token.id as token_id
  from unnest($1::text[], $2::text[]) with ordinality as each (wallet, mint, ordinal)
  join wallet on wallet.address = each.wallet
  join token on token.address = each.mint
)
select
  requested.ordinal::integer,
  requested.wallet,
  requested.token_id,
  requested.mint,
  coalesce(
    priced.decimals, (select newest.decimals from mint_decimals(requested.token_id) as newest)
  ) as decimals,
  {+position_columns},
  array(
    select tag from wallet_tag
    where wallet_tag.wallet_id = requested.wallet_id and wallet_tag.token_id = requested.token_id
    order by tag
  ) as tags,
  priced.price,
  (select sol_usd()) as sol_usd
from requested
join position
  on (position.wallet_id, position.token_id) >= (requested.wallet_id, requested.token_id)
    and (position.wallet_id, position.token_id) <= (requested.wallet_id, requested.token_id)
left join token_prices((select array_agg(distinct token_id) from requested)) as priced
  on priced.token_id = requested.token_id
order by requested.ordinal
