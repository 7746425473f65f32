-- Figures of wallets in a span of hours.

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
