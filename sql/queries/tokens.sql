-- name: tokens/find_priced
-- A mint, and its present price in SOL a whole token, and US dollars a SOL; price and its time null where no pool ever
-- had a priced trade. $1 text: address; no row for an unknown one.
-- Index: token_address_key, those of token_prices() and sol_usd().
select token.id, priced.price, priced.price_ms, sol_usd() as sol_usd, newest_swap_ms() as newest_ms
from token
left join token_prices(array[token.id]) as priced on true
where token.address = $1
  and {+known_token}

-- name: tokens/list_holders
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

-- name: tokens/list_smart
-- Positions of a mint by wallets that are smart money in any mint, the highest score first, ties by wallet.
-- $1 integer: token id; $2 integer: rows. Result: `total` of all such positions in every row; `held` is the sum of all
-- holders of the mint. Index: wallet_tag_smart, the primary key of position, position_token, that of mint_decimals().
-- From the wallets to the mint: smart money is rare, holders of a mint may be a million.
with smart as materialized (
  select wallet_id, max(score) as score
  from wallet_tag
  where tag = 'smart_money'
  group by wallet_id
)
select
  count(*) over ()::integer as total,
  (select coalesce(sum(balance), 0) from position where token_id = $1 and balance > 0) as held,
  wallet.address as wallet,
  smart.score,
  position.balance, (select newest.decimals from mint_decimals($1) as newest) as decimals,
  position.basis, position.realized_adjusted,
  position.buys_lamports, position.sells_lamports, position.largest_buy_lamports,
  position.first_trade_ms, position.last_trade_ms
from smart
join position
  on (position.wallet_id, position.token_id) >= (smart.wallet_id, $1)
    and (position.wallet_id, position.token_id) <= (smart.wallet_id, $1)
join wallet on wallet.id = smart.wallet_id
order by smart.score desc, wallet.address
limit $2

-- name: tokens/list_whales
-- Positions of a mint with a large buy or a large open value, the largest stake first, ties by wallet.
-- $1 integer: token id; $2 double precision: SOL a whole token, null without a price; $3 bigint: least
-- single buy, lamports; $4 double precision: least open value, lamports; $5 integer: rows.
-- Result: `total` of all such positions in every row; `held` is the sum of all holders of the mint; `is_held` is false
-- of wallets whose newest pass did not find the mint on chain: their value is not open. Only large positions are looked
-- up.
-- Index: position_token, wallet_pkey, token_pkey, held_token_pkey, reconciliation_pkey, that of mint_decimals().
with counted as materialized (
  select decimals from mint_decimals($1)
),
stake as (
  select
    wallet_id,
    largest_buy_lamports,
    coalesce(
      floor(balance::double precision / 10::double precision ^ (select decimals from counted) * $2 * 1e9), 0
    ) as open_lamports
  from position
  where token_id = $1
),
candidate as materialized (
  select
    stake.*,
    coalesce(
      (
        select held_token.quantity > 0
        from held_token
        where held_token.wallet_id = stake.wallet_id
          and held_token.mint = (select address from token where id = $1)
      ),
      (select false from reconciliation where reconciliation.wallet_id = stake.wallet_id),
      true
    ) as is_held
  from stake
  where largest_buy_lamports >= $3 or open_lamports >= $4
),
large as (
  select
    wallet_id,
    is_held,
    greatest(
      largest_buy_lamports::double precision, case when is_held then open_lamports else 0 end
    ) as lamports,
    count(*) over ()::integer as total
  from candidate
  where largest_buy_lamports >= $3 or is_held
),
page as (
  select large.*, wallet.address
  from large
  join wallet on wallet.id = large.wallet_id
  order by large.lamports desc, wallet.address
  limit $5
)
select
  page.total,
  (select coalesce(sum(balance), 0) from position where token_id = $1 and balance > 0) as held,
  page.address as wallet,
  page.is_held,
  position.balance, (select decimals from counted) as decimals, position.basis, position.realized_adjusted,
  position.buys_lamports, position.sells_lamports, position.largest_buy_lamports,
  position.first_trade_ms, position.last_trade_ms
from page
join position
  on (position.wallet_id, position.token_id) >= (page.wallet_id, $1)
    and (position.wallet_id, position.token_id) <= (page.wallet_id, $1)
order by page.lamports desc, page.address
