-- By wallet that may be an arbitrageur and hour: bounds of the numbers of its transactions and of those that bought and
-- sold one mint. $1 $2 bigint: first and last hour. Dropped with the transaction.
-- Index: the primary key of position_hour, from the second reading on.
create temp table leaderboard_judged on commit drop as
with candidate as materialized (
  select wallet_id
  from position_hour
  where hour_ms between $1 and $2 and arbitrage_count > 0
  group by wallet_id
  having sum(arbitrage_count) >= 3
)
select wallet_id, hour_ms,
  max(transactions) as transactions_least, sum(transactions)::bigint as transactions_most,
  max(arbitrages) as arbitrages_least, sum(arbitrages)::bigint as arbitrages_most
from (
  select wallet_id, hour_ms, sum(transaction_count) as transactions, sum(arbitrage_count) as arbitrages
  from position_hour
  where wallet_id = any (array(select wallet_id from candidate)) and hour_ms between $1 and $2
  group by wallet_id, hour_ms, token_id
) as by_mint
group by wallet_id, hour_ms
