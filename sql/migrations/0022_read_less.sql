-- Reads that looked at more than they show.

-- How pools began, without what was done to their liquidity since.
create index pool_event_birth on pool_event (pool_id, slot, block_tx_index, ix_index, dex, signature)
  where event in ('created', 'migrated');

-- Figures of tokens as before (0021), now those alone that are asked for: choosing a page of tokens by their
-- volume needs neither their traders nor their holders, which cost most. $3 `parts`: windows (volume, change,
-- trades), traders (buys, sells, buyers, sellers), prices (price, liquidity), holders, venues; what belongs to
-- none of these is always told, and of a part that is left out columns are null or 0. Top pools are looked up
-- one by one: as a join, all pools are hashed for the thousand rows that a function is taken to give.
drop function screened_tokens(integer[], integer);

create function screened_tokens(
  ids integer[], width integer,
  parts text[] default array['windows', 'traders', 'prices', 'holders', 'venues']
)
  returns table (
    token_id integer, mint text, price_sol double precision, volume_sol double precision,
    liquidity_sol double precision, change_pct double precision, trades bigint, buys bigint,
    sells bigint, buyers bigint, sellers bigint, holders bigint, first_ms bigint, venues integer
  )
  language plpgsql stable
  set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  from_ms bigint := newest_swap_ms() / 60000 * 60000 - (width - 1) * 60000::bigint;
  of_windows integer[] := case when 'windows' = any (parts) then ids end;
  of_traders integer[] := case when 'traders' = any (parts) then ids end;
  of_prices integer[] := case when 'prices' = any (parts) then ids end;
  of_holders integer[] := case when 'holders' = any (parts) then ids end;
  of_venues integer[] := case when 'venues' = any (parts) then ids end;
begin
  return query
  with held as (
    select position.token_id, count(*) filter (where position.balance > 0) as holders
    from position
    where position.token_id = any (of_holders)
    group by position.token_id
  ), traded_on as (
    select pool.token_id, bit_or(1 << pool.dex::integer) as venues
    from pool
    where pool.token_id = any (of_venues) and pool.newest_ms >= from_ms
    group by pool.token_id
  )
  select
    token.id, token.address, priced.price,
    -- Exact, then a double once: a quotient would be cut.
    coalesce((traded.volume_lamports * 0.000000001)::double precision, 0),
    -- 17.58 SOL that a pool which migrated since 2026-07-15 does not report (domain/venue.ts).
    case
      when pool.dex = 10 then 0
      else (
        0.000000002 * (
          pool.last_sol_reserves::numeric
          + case
              when pool.dex = 2 and pool.migrated_at_ms >= 1784073600000 then 17580000000
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
  left join token_windows(of_windows, array[width]) as traded on traded.token_id = token.id
  left join token_traders(of_traders, array[width]) as traders on traders.token_id = token.id
  left join token_prices(of_prices) as priced on priced.token_id = token.id
  left join lateral (select * from pool where pool.id = priced.pool_id limit 1) as pool on true
  left join token_start as start on start.token_id = token.id
  left join held on held.token_id = token.id
  left join traded_on on traded_on.token_id = token.id
  where token.id = any (ids);
end
$$;
