-- Totals of everything that is indexed. Trades and SOL by quarters of an hour of each venue; every pool and wallet is
-- counted, and no swap but the retracted ones, whose wallets may have no other: caching the response pays for it. Times
-- are Unix ms, null before the first swap.
-- Indexes: venue_volume_pkey, wallet_pkey, pool_pkey, slot_span_pkey, swap_order, those of sol_usd() and has_traded().
select
  traded.trade_count,
  traded.volume_lamports,
  counted.pool_count,
  counted.token_count,
  (select count(*) from wallet) - (
    select count(*)
    from (select distinct wallet_id from retracted_swap) as retracted
    where not has_traded(retracted.wallet_id)
  ) as wallet_count,
  (select min(first_ms) from slot_span where width = 1000000000) as first_ms,
  latest_swap_ms() as newest_ms,
  (select max(slot) from swap) as newest_slot,
  sol_usd() as sol_usd
from (
  select
    coalesce(sum(trade_count), 0)::bigint as trade_count,
    coalesce(sum(volume_lamports), 0) as volume_lamports
  from venue_volume
  where width = 900000
) as traded
cross join (
  select count(*) as pool_count, count(distinct token_id) as token_count from pool where swap_count > 0
) as counted
