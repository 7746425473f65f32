-- The largest buy of positions of a wallet that may be a whale's, and the amount and price of an open one: positions
-- with a large buy, and positions whose value is large at the highest of the last prices of the mint's pools (an upper
-- bound of its price) by the fewest decimals of any pool. Others are not priced, which is most of the work. Decimals
-- are null without a price. No position is open, and has a balance here, whose mint the wallet's newest pass did not
-- find on chain.
-- $1 integer: wallet id; $2 bigint: a large buy, lamports; $3 double precision: a large value, lamports; a thousandth
-- less also counts, as doubles are rounded.
-- Index: the primary key of position, pool_token, token_pkey, held_token_pkey, reconciliation_pkey, those of token_prices.
with large as materialized (
  select position.token_id, position.largest_buy_lamports, position.balance
  from position
  left join lateral (
    select max(pool.last_price) as price, min(pool.last_quote_decimals) as decimals
    from pool
    where pool.token_id = position.token_id and position.largest_buy_lamports < $2 and position.balance > 0
  ) as highest on true
  where position.wallet_id = $1
    and (
      position.largest_buy_lamports >= $2
      or position.balance::double precision / 10::double precision ^ highest.decimals * highest.price * 1e9
        >= $3::double precision * 0.999
    )
),
candidate as materialized (
  select
    large.token_id,
    large.largest_buy_lamports,
    case
      when coalesce(
        (
          select held_token.quantity > 0
          from held_token
          where held_token.wallet_id = $1
            and held_token.mint = (select address from token where token.id = large.token_id)
        ),
        not exists (select from reconciliation where wallet_id = $1)
      ) then large.balance
      else 0
    end as balance
  from large
)
select
  candidate.token_id, candidate.largest_buy_lamports, candidate.balance, price.decimals, price.price
from candidate
left join token_prices(
  (select array_agg(token_id) from candidate where balance > 0)
) price on price.token_id = candidate.token_id
