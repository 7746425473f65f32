-- name: batches/list_pairs
-- Positions of pairs of a wallet and a mint, priced now: a row for each pair that has one.
-- $1 text[], $2 text[]: wallets and mints (pairwise); a pair may be given several times.
-- Result: `place` is the pair's, from 1 on. Index: wallet_address_key, token_address_key, position_pkey,
-- wallet_tag_pkey, those of token_prices() and mint_decimals(). Prices are looked up once for all pairs. A row that
-- begins with the wallet: written as token_id = y, the planner may scan all holders of a mint.
with asked as materialized (
  select
    each.place, each.wallet, each.mint, wallet.id as wallet_id, token.id as token_id
  from unnest($1::text[], $2::text[]) with ordinality as each (wallet, mint, place)
  join wallet on wallet.address = each.wallet
  join token on token.address = each.mint
)
select
  asked.place::integer,
  asked.wallet,
  asked.mint,
  coalesce(
    priced.decimals, (select newest.decimals from mint_decimals(asked.token_id) as newest)
  ) as decimals,
  {+position_columns},
  array(
    select tag from wallet_tag
    where wallet_tag.wallet_id = asked.wallet_id and wallet_tag.token_id = asked.token_id
    order by tag
  ) as tags,
  priced.price,
  (select sol_usd()) as sol_usd
from asked
join position
  on (position.wallet_id, position.token_id) >= (asked.wallet_id, asked.token_id)
    and (position.wallet_id, position.token_id) <= (asked.wallet_id, asked.token_id)
left join token_prices((select array_agg(distinct token_id) from asked)) as priced
  on priced.token_id = asked.token_id
order by asked.place
