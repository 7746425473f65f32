-- Counts the transactions of hours in leaderboard_judged from the swaps, where a wallet's kind hangs on
-- them and they are not known. Index: wallet_transactions_pkey, slot_span_pkey, swap_wallet: an hour's
-- slots by runs of 10,000.
with open as (
  select wallet_id
  from leaderboard_judged
  group by wallet_id
  having 2 * sum(arbitrages_most) >= sum(transactions_least)
    and (sum(arbitrages_least) < 3 or 2 * sum(arbitrages_least) < sum(transactions_most))
),
unknown as materialized (
  select judged.*
  from leaderboard_judged judged
  join open on open.wallet_id = judged.wallet_id
  where (transactions_least < transactions_most or arbitrages_least < arbitrages_most)
    and not exists (
      select from wallet_transactions known
      where known.wallet_id = judged.wallet_id and known.hour_ms = judged.hour_ms
        and known.transaction_sum = transactions_most and known.arbitrage_sum = arbitrages_most
    )
),
slots as materialized (
  select hour.hour_ms, min(bucket) as low_slot, max(bucket) + least(9999, 9007199254740991 - max(bucket)) as high_slot
  from (select distinct hour_ms from unknown) as hour
  join slot_span on width = 10000 and last_ms >= hour.hour_ms and first_ms < hour.hour_ms + 3600000
  group by hour.hour_ms
)
insert into wallet_transactions
select unknown.wallet_id, unknown.hour_ms, transactions_most, arbitrages_most,
  counted.transactions, counted.arbitrages
from unknown
join slots on slots.hour_ms = unknown.hour_ms
cross join lateral (
  select count(*) as transactions, count(*) filter (where is_arbitrage) as arbitrages
  from (
    select bool_or(is_arbitrage) as is_arbitrage
    from (
      select slot, signature, bool_or(is_buy) and bool_or(not is_buy) as is_arbitrage
      from swap
      join pool on pool.id = swap.pool_id
      where swap.wallet_id = unknown.wallet_id
        and swap.slot between slots.low_slot and slots.high_slot
        and swap.timestamp_ms between unknown.hour_ms and unknown.hour_ms + 3599999
      group by slot, signature, pool.token_id
    ) as of_mint
    group by slot, signature
  ) as of_transaction
) as counted
on conflict (wallet_id, hour_ms) do update set
  transaction_sum = excluded.transaction_sum, arbitrage_sum = excluded.arbitrage_sum,
  transaction_count = excluded.transaction_count, arbitrage_count = excluded.arbitrage_count
