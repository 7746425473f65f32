-- The screener: figures of tokens in a window, of those that are asked about on the spot, and of all that
-- traded in it as a job has left them.

-- Figures of these tokens in a window of whole minutes that ends with the newest swap's; one that did not
-- trade in it has none. $1 token ids, $2 width in minutes. `venues`: a bit for each venue on which it has a
-- pool that traded in the window. Indexes: those of the functions in it, position_token, pool_token.
create function screened_tokens(ids integer[], width integer)
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
begin
  return query
  with held as (
    select position.token_id, count(*) filter (where position.balance > 0) as holders
    from position
    where position.token_id = any (ids)
    group by position.token_id
  ), traded_on as (
    select pool.token_id, bit_or(1 << pool.dex::integer) as venues
    from pool
    where pool.token_id = any (ids) and pool.newest_ms >= from_ms
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
  left join token_windows(ids, width) as traded on traded.token_id = token.id
  left join token_traders(ids, array[width]) as traders on traders.token_id = token.id
  left join token_prices(ids) as priced on priced.token_id = token.id
  left join pool on pool.id = priced.pool_id
  left join token_start as start on start.token_id = token.id
  left join held on held.token_id = token.id
  left join traded_on on traded_on.token_id = token.id
  where token.id = any (ids);
end
$$;

-- All tokens with a trade in the window, as of `screener_roll`. Unlogged: made again after a crash. Changed
-- in place, and only where a figure changed.
create unlogged table screener_token (
  window_minutes integer not null,
  token_id integer not null,
  mint text collate "C" not null,
  price_sol double precision,
  volume_sol double precision not null,
  liquidity_sol double precision,
  change_pct double precision,
  trades bigint not null,
  buys bigint not null,
  sells bigint not null,
  buyers bigint not null,
  sellers bigint not null,
  holders bigint not null,
  first_ms bigint,
  venues integer not null,
  primary key (window_minutes, token_id)
) with (fillfactor = 60);

create unlogged table screener_roll (
  window_minutes integer primary key,
  newest_ms bigint not null,
  rolled_at timestamptz not null
);

create index token_sector on token (sector) where sector is not null;
