-- name: token-traders/list_traders
-- A page of a mint's positions, open and closed, by what they realized, the greatest first, ties by wallet.
-- $1 integer: token id; $2 text: pnl_mode; $3 numeric, $4 text: lamports and wallet after which the list continues, both
-- null from the first; $5 integer: rows. Result: `total` in every row; where the page is empty, one row without a wallet.
-- Index: position_token, position_pkey, wallet_pkey, wallet_tag_pkey, those of token_prices() and mint_decimals().
-- Positions that tie with the cursor's are read apart from those below it, and of the latter all that tie with the
-- page's last: however many realized the same, a page is whole and none is skipped. Wide columns are read for the page
-- only.
with traded as materialized (
  select
    wallet_id,
    case $2
      when 'strict' then realized_strict
      when 'raw' then sells_lamports - buys_lamports
      else realized_adjusted
    end as realized
  from position
  where token_id = $1
),
least as materialized (
  select min(realized) as realized
  from (
    select realized
    from traded
    where $3::numeric is null or realized < $3
    order by realized desc
    limit $5
  ) as most
),
page as materialized (
  select traded.wallet_id, traded.realized, wallet.address as wallet
  from traded
  join wallet on wallet.id = traded.wallet_id
  where traded.realized = $3 and wallet.address > $4
  union all
  select traded.wallet_id, traded.realized, wallet.address
  from traded
  join wallet on wallet.id = traded.wallet_id
  where traded.realized >= (select realized from least) and ($3::numeric is null or traded.realized < $3)
  order by 2 desc, 3
  limit $5
)
select counted.total, shown.*
from (select count(*)::integer as total from traded) as counted
left join (
  select
    page.wallet,
    page.realized,
    (select address from token where token.id = $1) as mint,
    coalesce(priced.decimals, (select newest.decimals from mint_decimals($1) as newest)) as decimals,
    {+position_columns},
    array(
      select tag from wallet_tag
      where wallet_tag.wallet_id = page.wallet_id and wallet_tag.token_id = $1
      order by tag
    ) as tags,
    priced.price,
    (select sol_usd()) as sol_usd
  from page
  join position
    on (position.wallet_id, position.token_id) >= (page.wallet_id, $1)
      and (position.wallet_id, position.token_id) <= (page.wallet_id, $1)
  left join token_prices(array[$1::integer]) as priced on true
) as shown on true
order by shown.realized desc, shown.wallet
