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
