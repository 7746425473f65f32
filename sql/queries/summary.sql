-- name: summary/list_highlights
-- Outstanding positions of a wallet: the one that realized most, above 0, and least, below 0, the most valuable open
-- one, the one with the fastest flip, the one with the longest hold; of equals the lowest mint.
-- $1 text: wallet; $2 text: pnl_mode.
-- Result: a row for each kind that there is, at most five, priced now.
-- Index: wallet_address_key, position_pkey, token_pkey, held_token_pkey, wallet_tag_pkey, those of token_prices() and
-- mint_decimals(). Wide columns are read for the rows of the result only.
with requested as materialized (
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
        not (select is_reconciled from requested)
        or position.token_id in (
          select token.id
          from held_token
          join token on token.address = held_token.mint
          where held_token.wallet_id = (select id from requested) and held_token.quantity > 0
        )
      ) as is_open
  from position
  where position.wallet_id = (select id from requested)
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
  picked.token_id,
  picked.mint,
  coalesce(
    priced.decimals, (select newest.decimals from mint_decimals(picked.token_id) as newest)
  ) as decimals,
  {+position_columns},
  array(
    select tag from wallet_tag
    where wallet_id = (select id from requested) and token_id = picked.token_id
    order by tag
  ) as tags,
  priced.price,
  (select sol_usd()) as sol_usd
from picked
left join token_prices((select array_agg(distinct token_id) from picked)) as priced
  on priced.token_id = picked.token_id
join position
  on (position.wallet_id, position.token_id) >= ((select id from requested), picked.token_id)
    and (position.wallet_id, position.token_id) <= ((select id from requested), picked.token_id)

-- name: summary/list_summaries
-- Summaries of wallets, all their mints together, priced now: a row for each of the given, in their order.
-- $1 text[]: wallets; one may be given several times.
-- Result: counts and sums are null for a wallet that never traded. `values_sol`: SOL of open positions with a price, the
-- greatest first, each with its cost at the same place of `costs` (running average) and `lots_costs`; `cost` and
-- `lots_cost` of all open positions. Lamports. Of the rate its newest minute and its source.
-- Index: wallet_address_key, position_pkey, token_pkey, held_token_pkey, those of token_prices() and sol_usd_quote().
-- Prices are looked up once for all wallets. Quantities become doubles in one rounding.
with requested as materialized (
  select each.ordinal, wallet.id as wallet_id
  from unnest($1::text[]) with ordinality as each (address, ordinal)
  left join wallet on wallet.address = each.address
),
known as materialized (
  select distinct
    requested.wallet_id,
    exists (select from reconciliation where reconciliation.wallet_id = requested.wallet_id) as is_reconciled
  from requested
  where requested.wallet_id is not null
),
held as materialized (
  select held_token.wallet_id, token.id as token_id
  from known
  join held_token on held_token.wallet_id = known.wallet_id and held_token.quantity > 0
  join token on token.address = held_token.mint
),
owned as materialized (
  select
    position.*,
    position.balance > 0
      and (not known.is_reconciled or (position.wallet_id, position.token_id) in (select wallet_id, token_id from held))
      as is_open
  from known
  join position on position.wallet_id = known.wallet_id
),
total as (
  select
    wallet_id,
    count(*) filter (where is_open)::integer as open_count,
    count(*) filter (where not is_open)::integer as closed_count,
    sum(realized_strict) as realized_strict,
    sum(realized_adjusted) as realized_adjusted,
    sum(buys_lamports) as buys_lamports,
    sum(sells_lamports) as sells_lamports,
    sum(buy_count)::bigint as buy_count,
    sum(sell_count)::bigint as sell_count,
    sum(covered_sell_count)::bigint as covered_sell_count,
    sum(win_count)::bigint as win_count,
    coalesce(sum(basis) filter (where is_open), 0) as cost,
    coalesce(sum(lots_cost) filter (where is_open), 0) as lots_cost,
    min(first_trade_ms) as first_trade_ms,
    max(last_trade_ms) as last_trade_ms
  from owned
  group by wallet_id
),
valued as (
  select
    wallet_id,
    array_agg(value_sol order by value_sol desc, token_id) as values_sol,
    array_agg(basis::text order by value_sol desc, token_id) as costs,
    array_agg(lots_cost::text order by value_sol desc, token_id) as lots_costs
  from (
    select
      owned.wallet_id,
      owned.token_id,
      owned.basis,
      owned.lots_cost,
      {+owned_value_sol}
    from owned
    join token_prices((select array_agg(distinct token_id) from owned where is_open)) as priced
      on priced.token_id = owned.token_id
    where owned.is_open
  ) as each
  group by wallet_id
)
select
  total.*,
  coalesce(valued.values_sol, '{}') as values_sol,
  coalesce(valued.costs, '{}') as costs,
  coalesce(valued.lots_costs, '{}') as lots_costs,
  quote.rate as sol_usd,
  quote.minute_ms as rate_ms,
  quote.source as rate_source
from requested
cross join sol_usd_quote() as quote
left join total on total.wallet_id = requested.wallet_id
left join valued on valued.wallet_id = requested.wallet_id
order by requested.ordinal
