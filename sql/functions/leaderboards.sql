-- Figures of wallets in a span of hours, and which of them are arbitrageurs.

-- Sums of every wallet with a trade in these hours. $1, $2: beginning of the first and of the last hour, Unix ms.
create or replace function window_wallets(from_ms bigint, to_ms bigint)
  returns table (
    wallet_id integer,
    realized_raw numeric,
    realized_strict numeric,
    realized_adjusted numeric,
    trade_count bigint,
    covered_sell_count bigint,
    win_count bigint
  )
  language sql stable
begin atomic
  select hour.wallet_id, sum(hour.realized_raw), sum(hour.realized_strict),
    sum(hour.realized_adjusted), sum(hour.buy_count + hour.sell_count),
    sum(hour.covered_sell_count), sum(hour.win_count)
  from position_hour hour
  where hour.hour_ms between $1 and $2
  group by hour.wallet_id;
end;

-- Wallets of which at least half of the transactions in these hours, and at least 3, bought and sold the same mint.
-- $1, $2: as above; $3, $4: the slots that hold every swap of the hours.
--
-- A transaction that touches two mints is counted in the hours of both, so sums over mints bound the number from above,
-- and the mint with the most of an hour bounds it from below. Where these bounds do not decide, the wallet's own swaps
-- are counted.
create or replace function arbitrageurs(from_ms bigint, to_ms bigint, low_slot bigint, high_slot bigint)
  returns table (wallet_id integer)
  language sql stable
begin atomic
  with candidate as materialized (
    select hour.wallet_id
    from position_hour hour
    where hour.hour_ms between $1 and $2 and hour.arbitrage_count > 0
    group by hour.wallet_id
    having sum(hour.arbitrage_count) >= 3
  ),
  by_mint as (
    select hour.wallet_id, hour.hour_ms, hour.token_id,
      sum(hour.transaction_count) as transactions, sum(hour.arbitrage_count) as arbitrages
    from position_hour hour
    where hour.wallet_id = any (array(select candidate.wallet_id from candidate))
      and hour.hour_ms between $1 and $2
    group by hour.wallet_id, hour.hour_ms, hour.token_id
  ),
  by_hour as (
    select by_mint.wallet_id,
      max(by_mint.transactions) as transactions_least, sum(by_mint.transactions) as transactions_most,
      max(by_mint.arbitrages) as arbitrages_least, sum(by_mint.arbitrages) as arbitrages_most
    from by_mint
    group by by_mint.wallet_id, by_mint.hour_ms
  ),
  bound as materialized (
    select by_hour.wallet_id,
      sum(arbitrages_least) >= 3 and 2 * sum(arbitrages_least) >= sum(transactions_most) as is_sure
    from by_hour
    group by by_hour.wallet_id
    having 2 * sum(arbitrages_most) >= sum(transactions_least)
  ),
  by_transaction_mint as (
    select swap.wallet_id, swap.slot, swap.signature,
      bool_or(swap.is_buy) and bool_or(not swap.is_buy) as is_arbitrage
    from swap
    join pool on pool.id = swap.pool_id
    where swap.wallet_id = any (array(select bound.wallet_id from bound where not bound.is_sure))
      and swap.slot between $3 and $4
      and swap.timestamp_ms between $1 and $2 + 3599999
    group by swap.wallet_id, swap.slot, swap.signature, pool.token_id
  ),
  by_transaction as (
    select by_transaction_mint.wallet_id, bool_or(is_arbitrage) as is_arbitrage
    from by_transaction_mint
    group by by_transaction_mint.wallet_id, slot, signature
  )
  select bound.wallet_id from bound where bound.is_sure
  union all
  select by_transaction.wallet_id
  from by_transaction
  group by by_transaction.wallet_id
  having count(*) filter (where is_arbitrage) >= 3
    and 2 * count(*) filter (where is_arbitrage) >= count(*);
end;
