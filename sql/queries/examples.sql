-- name: examples/find_subjects
-- The wallet and the mint that examples of the documents name, with another mint: of those that traded among the newest
-- 2,000 swaps the wallet whose position satisfies most criteria (it holds some, sold, bought for 50 SOL or more, holds
-- another mint, bought twice; the token has a creator, a sector and a symbol; the wallet is tagged), of the token that
-- traded most; ties by address. No row: no swap is stored, or none in a position yet.
-- Result: largest_buy_lamports is that of the position; sector is that of the most traded token with one where this
-- token has none; other_mint, symbol, name, sector and creator may be null.
-- Index: swap_order, pool_pkey, position_pkey, token_pkey, wallet_pkey, wallet_tag_pkey.
with newest as materialized (
  select pool_id, wallet_id
  from swap
  order by slot desc, block_tx_index desc, ix_index desc, dex desc
  fetch first 2000 rows with ties
),
traded as materialized (
  select newest.wallet_id, pool.token_id, count(*) as swap_count
  from newest
  join pool on pool.id = newest.pool_id
  group by 1, 2
),
by_token as materialized (
  select token_id, sum(swap_count) as swap_count from traded group by 1
),
described as (
  select
    traded.wallet_id, traded.token_id, position.largest_buy_lamports,
    8 * (position.balance > 0)::integer
      + 4 * (position.sell_count > 0)::integer
      + 4 * (position.largest_buy_lamports >= 50000000000)::integer
      + 4 * exists (
        select from position as other
        where other.wallet_id = traded.wallet_id and other.token_id <> traded.token_id and other.balance > 0
      )::integer
      + 2 * (position.buy_count > 1)::integer
      + 2 * (token.creator is not null)::integer
      + 2 * coalesce(token.sector <> '' and token.symbol <> '', false)::integer
      + exists (select from wallet_tag where wallet_tag.wallet_id = traded.wallet_id)::integer as answers,
    by_token.swap_count
  from traded
  join by_token on by_token.token_id = traded.token_id
  join position on position.wallet_id = traded.wallet_id and position.token_id = traded.token_id
  join token on token.id = traded.token_id
  where position.buy_count > 0
),
found as (
  select described.*
  from described
  join wallet on wallet.id = described.wallet_id
  join token on token.id = described.token_id
  order by described.answers desc, described.swap_count desc, wallet.address, token.address
  limit 1
)
select
  wallet.address as wallet, token.address as mint, found.largest_buy_lamports,
  token.symbol, token.name, token.creator,
  coalesce(nullif(token.sector, ''), (
    select other.sector
    from by_token
    join token as other on other.id = by_token.token_id
    where other.sector <> ''
    order by by_token.swap_count desc, other.address
    limit 1
  )) as sector,
  (
    select other.address
    from by_token
    join token as other on other.id = by_token.token_id
    where by_token.token_id <> found.token_id
    order by by_token.swap_count desc, other.address
    limit 1
  ) as other_mint
from found
join wallet on wallet.id = found.wallet_id
join token on token.id = found.token_id
