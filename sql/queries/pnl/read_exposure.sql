-- Holdings of a wallet, priced now: counts, and the values of its open positions.
-- $1 text: wallet; $2 text[]: quote mints.
-- Result: one row, of a wallet that never traded too; values in SOL, greatest first, of open positions with a price,
-- each with its cost at the same place of `costs` (running average) and `lots_costs`; `cost` and `lots_cost` of all open
-- positions. Lamports.
-- Index: wallet_address_key, position_pkey, token_pkey, held_token_pkey. Quantities become doubles in one rounding.
with asked as materialized (
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
        not exists (select from reconciliation where wallet_id = (select id from asked))
        or token.address in (select mint from held_token where wallet_id = (select id from asked) and quantity > 0)
      ) as is_open,
    position.arbitrage_count >= 3
      and position.arbitrage_count * 2 >= position.transaction_count as is_arbitrageur,
    token.address = any ($2) as is_quote
  from position
  join token on token.id = position.token_id
  where position.wallet_id = (select id from asked)
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
