-- Figures of tokens for the screener.

-- Figures of these tokens in a window of whole minutes that ends with the newest swap's. $1 token ids, $2 width in
-- minutes, $3 `parts`, because choosing a page by volume needs neither traders nor holders, which cost most: windows
-- (volume, change, trades), traders (buys, sells, buyers, sellers), prices (price, liquidity), holders, venues. Columns
-- of a part that is left out are null or 0; those of no part are always returned. `venues`: bit `dex` of each venue on
-- which the token has a pool that traded in the window.
--
-- The outer statement is planned for the number of tokens (execute); the functions that it calls are planned as their
-- connection plans. Top pools are looked up one by one: as a join, all pools would be hashed for the thousand rows that
-- a function is estimated to return. Indexes: those of token_windows(), token_traders(), token_prices(), pool_traded(),
-- venue_pkey, position_token, pool_token.
create or replace function screened_tokens(
  ids integer[], width integer,
  parts text[] default array['windows', 'traders', 'prices', 'holders', 'venues']
)
  returns table (
    token_id integer, mint text, price_sol double precision, volume_sol double precision,
    liquidity_sol double precision, change_pct double precision, trades bigint, buys bigint,
    sells bigint, buyers bigint, sellers bigint, holders bigint, first_ms bigint, venues integer
  )
  language plpgsql stable
as $$
declare
  end_ms bigint := newest_swap_ms() / 60000 * 60000 + 60000;
  from_ms bigint := end_ms - width * 60000::bigint;
begin
  return query execute $screen$
    with held as (
      select position.token_id, count(*) filter (where position.balance > 0) as holders
      from position
      where 'holders' = any ($4) and position.token_id = any ($1)
      group by position.token_id
    ), traded_on as (
      select pool.token_id, bit_or(1 << pool.dex::integer) as venues
      from pool
      where 'venues' = any ($4) and pool.token_id = any ($1) and pool.newest_ms >= $3
        and (pool.newest_ms < $5 or pool_traded(pool.id, $3, $5))
      group by pool.token_id
    ), traded as (
      select * from token_windows($1, array[$2]) where 'windows' = any ($4)
    ), traders as (
      select * from token_traders($1, array[$2]) where 'traders' = any ($4)
    ), priced as (
      select * from token_prices($1) where 'prices' = any ($4)
    )
    select
      token.id, token.address, priced.price,
      -- Exact, then converted to a double once: a numeric quotient loses digits.
      coalesce((traded.volume_lamports * 0.000000001)::double precision, 0),
      case
        when not pool.has_reserves then 0
        else (
          0.000000002 * (
            pool.last_sol_reserves::numeric
            + case
              when pool.missing_lamports is null then 0
              when pool.last_virtual_quote_reserves is not null then pool.last_virtual_quote_reserves
              when pool.migrated_at_ms >= pool.missing_from_ms then pool.missing_lamports
              else 0
            end
          )
        )::double precision
      end,
      (traded.close - traded.open) / traded.open * 100,
      coalesce(traded.trade_count, 0), coalesce(traders.buy_count, 0),
      coalesce(traders.sell_count, 0), coalesce(traders.buyer_count, 0),
      coalesce(traders.seller_count, 0), coalesce(held.holders, 0), start.first_ms,
      coalesce(traded_on.venues, 0)
    from token
    left join traded on traded.token_id = token.id
    left join traders on traders.token_id = token.id
    left join priced on priced.token_id = token.id
    left join lateral (
      select
        top.last_sol_reserves, top.migrated_at_ms, top.last_virtual_quote_reserves,
        venue.has_reserves, venue.missing_lamports, venue.missing_from_ms
      from pool as top
      left join venue on venue.dex = top.dex
      where top.id = priced.pool_id
      limit 1
    ) as pool on true
    left join token_start as start on start.token_id = token.id
    left join held on held.token_id = token.id
    left join traded_on on traded_on.token_id = token.id
    where token.id = any ($1)
  $screen$ using ids, width, from_ms, parts, end_ms;
end
$$;
