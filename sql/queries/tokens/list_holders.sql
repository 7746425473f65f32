-- A page of a mint's holders, the largest first, ties by wallet, with the number of all holders and their sum.
-- $1 integer: token id; $2 numeric, $3 text: balance and wallet after which the list continues, both null from the
-- first; $4 integer: rows. Result: holder_count and held in every row; where the page is empty, one row without a
-- wallet. Index: position_token, wallet_pkey, wallet_tag_pkey, that of mint_decimals(). Holders with the cursor's
-- balance are read apart from those below it, and of the latter all that tie with the page's last: however many wallets
-- hold the same amount, a page is whole and none is skipped.
with held as materialized (
  select wallet_id, balance
  from position
  where token_id = $1 and balance > 0
),
least as materialized (
  select min(balance) as balance
  from (
    select balance
    from held
    where $2::numeric is null or balance < $2
    order by balance desc
    limit $4
  ) as largest
)
select total.holder_count, total.held, page.*
from (
  select count(*)::integer as holder_count, coalesce(sum(balance), 0) as held from held
) total
left join (
  select
    found.address as wallet,
    found.balance,
    (select newest.decimals from mint_decimals($1) as newest) as decimals,
    array(
      select tag from wallet_tag
      where wallet_tag.wallet_id = found.wallet_id and token_id = $1
      order by tag
    ) as tags
  from (
    select held.wallet_id, held.balance, wallet.address
    from held
    join wallet on wallet.id = held.wallet_id
    where held.balance = $2 and wallet.address > $3
    union all
    select held.wallet_id, held.balance, wallet.address
    from held
    join wallet on wallet.id = held.wallet_id
    where held.balance >= (select balance from least) and ($2::numeric is null or held.balance < $2)
    order by 2 desc, 3
    limit $4
  ) found
) page on true
order by page.balance desc, page.wallet
