-- A page of a wallet's positions, priced now, with the number of all that may be paged.
-- $1 text: wallet; $2 text: open, closed or all; $3 text: mint, null for any;
-- $4 double precision: least value in SOL, null for any (also without a price);
-- $5 text: pnl_mode; $6 text: value, realized or unrealized; $7 integer: rows; $8 integer: rows before.
-- Result: the columns before `shown` in every row; where the page is empty, one row without a mint; none for a wallet
-- that never traded.
-- Descending, ties by mint; positions without a price come last. Sums are numeric, prices SOL per whole token. Where
-- neither the order nor the filter uses prices, prices are looked up for the page alone; mints for the page and for
-- ties with its end.
-- Index: wallet_address_key, position_pkey, token_pkey, token_address_key, held_token_pkey, wallet_tag_pkey, those of
-- token_prices() and mint_decimals(). Wide columns are read for the page alone. One position is bounded as a row that begins with the wallet: written as
-- token_id = y, the planner may scan all holders of a popular mint. Quantities become doubles in one rounding, as in
-- the API: up to 2^53 by a division of two exact doubles, beyond by their digits.
with asked as materialized (
  select id from wallet where address = $1
),
held as materialized (
  select token.id as token_id
  from held_token
  left join token on token.address = held_token.mint
  where held_token.wallet_id = (select id from asked) and held_token.quantity > 0
),
newest_pass as materialized (
  select (select reconciled_ms from reconciliation where wallet_id = asked.id) as began_ms from asked
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
  where position.wallet_id = (select id from asked)
    and (
      $3::text is null
      or (position.wallet_id, position.token_id) >= ((select id from asked), (select id from token where address = $3))
        and (position.wallet_id, position.token_id) <= ((select id from asked), (select id from token where address = $3))
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
  select token_id, mint, price, decimals, row_number() over () as place
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
        select token_id from position where wallet_id = (select id from asked) and $3::text is not null
      )
  ) as unmatched_count,
  shown.*
from newest_pass
left join (
  select
    page.place::integer,
    page.mint,
    coalesce(
      page.decimals, late.decimals, (select newest.decimals from mint_decimals(page.token_id) as newest)
    ) as decimals,
    {+position_columns},
    array(
      select tag from wallet_tag
      where wallet_id = (select id from asked) and token_id = page.token_id
      order by tag
    ) as tags,
    coalesce(page.price, late.price) as price
  from page
  left join token_prices((
    select array_agg(token_id) from page where $6 = 'realized' and $4::double precision is null
  )) late
    on late.token_id = page.token_id
  join position
    on (position.wallet_id, position.token_id) >= ((select id from asked), page.token_id)
      and (position.wallet_id, position.token_id) <= ((select id from asked), page.token_id)
) shown on true
order by shown.place
