-- name: pnl/list_days
-- The UTC days on which a wallet traded, oldest first, each the sum of its hours over all mints.
-- $1 text: wallet; $2 text: pnl_mode; $3 integer[]: token ids to leave out, null for none.
-- Result: lamports realized by that mode, and the day's cash flow.
-- Index: wallet_address_key, position_hour_pkey of every chunk, by the wallet.
select
  hour_ms / 86400000 * 86400000 as day_ms,
  {+realized_of_hours},
  sum(realized_raw) as flow
from position_hour
where wallet_id = (select id from wallet where address = $1)
  and ($3::integer[] is null or token_id <> all ($3))
group by day_ms
order by day_ms

-- name: pnl/list_positions
-- A page of a wallet's positions, priced now, with the number of all that may be paged.
-- $1 text: wallet; $2 text: open, closed or all; $3 text: mint, null for any;
-- $4 double precision: least value in SOL, null for any (also without a price);
-- $5 text: pnl_mode; $6 text: value, realized or unrealized; $7 integer: rows; $8 integer: rows before.
-- Result: the columns before `shown` in every row; where the page is empty, one row without a mint; none for a wallet
-- that never traded.
-- Descending, ties by mint; positions without a price come last. Sums are numeric, prices SOL per whole token. Where
-- neither the order nor the filter uses prices, prices are looked up for the page only; mints for the page and for
-- ties with its end.
-- Index: wallet_address_key, position_pkey, token_pkey, token_address_key, held_token_pkey, wallet_tag_pkey, those of
-- token_prices() and mint_decimals(). Wide columns are read for the page only. One position is bounded as a row that begins with the wallet: written as
-- token_id = y, the planner may scan all holders of a popular mint. Quantities become doubles in one rounding, as in
-- the API: up to 2^53 by a division of two exact doubles, beyond by their digits.
with requested as materialized (
  select id from wallet where address = $1
),
held as materialized (
  select token.id as token_id
  from held_token
  left join token on token.address = held_token.mint
  where held_token.wallet_id = (select id from requested) and held_token.quantity > 0
),
newest_pass as materialized (
  select (select reconciled_ms from reconciliation where wallet_id = requested.id) as began_ms from requested
),
owned as materialized (
  select
    position.token_id,
    $2 = 'all' or ($2 = 'open') = (
      position.balance > 0
      and ((select began_ms from newest_pass) is null or position.token_id in (select token_id from held where token_id is not null))
    ) as is_wanted,
    position.balance,
    case
      when $6 <> 'unrealized' then null
      when cost.lamports <= 9007199254740991
        then cost.lamports::bigint::double precision / 1000000000
      else (cost.lamports::text || 'e-9')::double precision
    end as cost_sol,
    case
      when $6 <> 'realized' then null
      when $5 = 'strict' then position.realized_strict
      when $5 = 'raw' then position.sells_lamports - position.buys_lamports
      else position.realized_adjusted
    end as realized
  from position
  cross join lateral (
    select case $5 when 'strict' then position.lots_cost else position.basis end as lamports
  ) cost
  where position.wallet_id = (select id from requested)
    and (
      $3::text is null
      or (position.wallet_id, position.token_id) >= ((select id from requested), (select id from token where address = $3))
        and (position.wallet_id, position.token_id) <= ((select id from requested), (select id from token where address = $3))
    )
),
chosen as materialized (
  select
    valued.token_id,
    valued.realized,
    valued.price,
    valued.decimals,
    case $6
      when 'value' then valued.value_sol
      when 'unrealized' then valued.value_sol - valued.cost_sol
    end as sol
  from (
    select
      owned.*,
      priced.price,
      priced.decimals,
      {+owned_value_sol}
    from owned
    left join token_prices((
      select array_agg(token_id) from owned where is_wanted and ($6 <> 'realized' or $4::double precision is not null)
    )) priced
      on priced.token_id = owned.token_id
    where owned.is_wanted
  ) as valued
  where $4::double precision is null or valued.value_sol >= $4
),
page as materialized (
  select token_id, mint, price, decimals, row_number() over () as ordinal
  from (
    select front.token_id, token.address as mint, front.price, front.decimals
    from (
      select token_id, price, decimals, realized, sol
      from chosen
      order by realized desc, sol desc nulls last
      fetch first ($7::bigint + $8::bigint) rows with ties
    ) as front
    join token on token.id = front.token_id
    order by front.realized desc, front.sol desc nulls last, mint
    limit $7 offset $8
  ) shown
)
select
  (select count(*)::integer from chosen) as total,
  (select sol_usd()) as sol_usd,
  newest_pass.began_ms as reconciled_ms,
  (select count(*)::integer from held) as held_count,
  (
    select count(*)::integer
    from held
    where token_id is null
      or token_id not in (
        select token_id from owned where $3::text is null
        union all
        select token_id from position where wallet_id = (select id from requested) and $3::text is not null
      )
  ) as unmatched_count,
  shown.*
from newest_pass
left join (
  select
    page.ordinal::integer,
    page.token_id,
    page.mint,
    coalesce(
      page.decimals, late.decimals, (select newest.decimals from mint_decimals(page.token_id) as newest)
    ) as decimals,
    {+position_columns},
    array(
      select tag from wallet_tag
      where wallet_id = (select id from requested) and token_id = page.token_id
      order by tag
    ) as tags,
    coalesce(page.price, late.price) as price
  from page
  left join token_prices((
    select array_agg(token_id) from page where $6 = 'realized' and $4::double precision is null
  )) late
    on late.token_id = page.token_id
  join position
    on (position.wallet_id, position.token_id) >= ((select id from requested), page.token_id)
      and (position.wallet_id, position.token_id) <= ((select id from requested), page.token_id)
) shown on true
order by shown.ordinal

-- name: pnl/read_exposure
-- Holdings of a wallet, priced now: counts, and the values of its open positions.
-- $1 text: wallet; $2 text[]: quote mints.
-- Result: one row, of a wallet that never traded too; values in SOL, greatest first, of open positions with a price,
-- each with its cost at the same place of `costs` (running average) and `lots_costs`; `cost` and `lots_cost` of all open
-- positions. Lamports.
-- Index: wallet_address_key, position_pkey, token_pkey, held_token_pkey. Quantities become doubles in one rounding.
with requested as materialized (
  select id from wallet where address = $1
),
owned as materialized (
  select
    position.token_id,
    position.balance,
    position.basis,
    position.lots_cost,
    position.balance > 0
      and (
        not exists (select from reconciliation where wallet_id = (select id from requested))
        or token.address in (select mint from held_token where wallet_id = (select id from requested) and quantity > 0)
      ) as is_open,
    position.arbitrage_count >= 3
      and position.arbitrage_count * 2 >= position.transaction_count as is_arbitrageur,
    token.address = any ($2) as is_quote
  from position
  join token on token.id = position.token_id
  where position.wallet_id = (select id from requested)
),
valued as materialized (
  select
    owned.token_id,
    owned.is_quote,
    owned.basis,
    owned.lots_cost,
    {+owned_value_sol}
  from owned
  join token_prices((select array_agg(token_id) from owned where is_open)) priced
    on priced.token_id = owned.token_id
)
select
  (select count(*)::integer from owned where is_open) as open_count,
  (select count(*)::integer from owned where not is_open) as closed_count,
  (select count(*)::integer from owned where is_open and is_quote) as quote_count,
  (select count(*)::integer from owned where is_arbitrageur) as arbitrageur_count,
  array(select value_sol from valued order by value_sol desc, token_id) as values_sol,
  array(select value_sol from valued where is_quote order by value_sol desc) as quote_values_sol,
  array(select basis::text from valued order by value_sol desc, token_id) as costs,
  array(select lots_cost::text from valued order by value_sol desc, token_id) as lots_costs,
  (select coalesce(sum(basis), 0) from owned where is_open) as cost,
  (select coalesce(sum(lots_cost), 0) from owned where is_open) as lots_cost,
  sol_usd() as sol_usd
