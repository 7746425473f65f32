-- Hours of leaderboard_judged in which a wallet's kind hangs on its transactions and these are not known, and the slots
-- that hold their swaps, by runs of 10,000: `unknown` and `slots`, after `with`.
open as (
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
