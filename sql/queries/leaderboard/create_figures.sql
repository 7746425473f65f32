-- Figures of every wallet of a window, for ranking it: dropped with the transaction. $1 $2 bigint: first and last hour.
-- Arbitrageurs are determined by leaderboard_judged, by exact counts where they are known: where they are not, they do
-- not matter (merge_transactions).
create temp table leaderboard_figures on commit drop as
with arbitrageur as (
  select judged.wallet_id
  from leaderboard_judged judged
  left join wallet_transactions known on known.wallet_id = judged.wallet_id
    and known.hour_ms = judged.hour_ms and known.transaction_sum = transactions_most
    and known.arbitrage_sum = arbitrages_most
  group by judged.wallet_id
  having sum(coalesce(known.arbitrage_count, arbitrages_most)) >= 3
    and 2 * sum(coalesce(known.arbitrage_count, arbitrages_most))
      >= sum(coalesce(known.transaction_count, transactions_most))
)
select figures.*, wallet.address as wallet,
  figures.wallet_id in (select wallet_id from arbitrageur) as is_arbitrageur
from window_wallets($1, $2) as figures
join wallet on wallet.id = figures.wallet_id
