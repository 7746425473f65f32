-- Outstanding positions of a wallet: the one that realized most, above 0, and least, below 0, the most valuable open
-- one, the one with the fastest flip, the one with the longest hold; of equals the lowest mint.
-- $1 text: wallet; $2 text: pnl_mode.
-- Result: a row for each kind that there is, at most five, priced now.
-- Index: wallet_address_key, position_pkey, token_pkey, held_token_pkey, wallet_tag_pkey, those of token_prices() and
-- mint_decimals(). Wide columns are read for the rows of the result alone.
with asked as materialized (
  select
    id, exists (select from reconciliation where reconciliation.wallet_id = wallet.id) as is_reconciled
  from wallet
  where address = $1
),
owned as materialized (
  select
    position.token_id,
    position.balance,
    position.fastest_flip_ms,
    position.longest_hold_ms,
    case $2
      when 'strict' then position.realized_strict
      when 'raw' then position.sells_lamports - position.buys_lamports
      else position.realized_adjusted
    end as realized,
    position.balance > 0
      and (
        not (select is_reconciled from asked)
        or position.token_id in (
          select token.id
          from held_token
          join token on token.address = held_token.mint
          where held_token.wallet_id = (select id from asked) and held_token.quantity > 0
        )
      ) as is_open
  from position
  where position.wallet_id = (select id from asked)
),
bag as materialized (
  select
    owned.token_id,
    {+owned_value_sol}
  from owned
  join token_prices((select array_agg(token_id) from owned where is_open)) as priced
    on priced.token_id = owned.token_id
),
most as (
  (
    select 'biggest_win' as kind, token_id from owned where realized > 0
    order by realized desc fetch first 1 rows with ties
  )
  union all
  (
    select 'biggest_loss', token_id from owned where realized < 0
    order by realized fetch first 1 rows with ties
  )
  union all
  (select 'biggest_bag', token_id from bag order by value_sol desc fetch first 1 rows with ties)
  union all
  (
    select 'fastest_flip', token_id from owned where fastest_flip_ms is not null
    order by fastest_flip_ms fetch first 1 rows with ties
  )
  union all
  (
    select 'longest_hold', token_id from owned where longest_hold_ms is not null
    order by longest_hold_ms desc fetch first 1 rows with ties
  )
),
picked as materialized (
  select distinct on (most.kind) most.kind, most.token_id, token.address as mint
  from most
  join token on token.id = most.token_id
  order by most.kind, token.address
)
select
  picked.kind,
  picked.mint,
  coalesce(
    priced.decimals, (select newest.decimals from mint_decimals(picked.token_id) as newest)
  ) as decimals,
  {+position_columns},
  array(
    select tag from wallet_tag
    where wallet_id = (select id from asked) and token_id = picked.token_id
    order by tag
  ) as tags,
  priced.price,
  (select sol_usd()) as sol_usd
from picked
left join token_prices((select array_agg(distinct token_id) from picked)) as priced
  on priced.token_id = picked.token_id
join position
  on (position.wallet_id, position.token_id) >= ((select id from asked), picked.token_id)
    and (position.wallet_id, position.token_id) <= ((select id from asked), picked.token_id)
