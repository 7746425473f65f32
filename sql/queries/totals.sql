-- name: totals/read_global
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

-- name: totals/sum_trader
-- Totals of a wallet over all its positions; no row for a wallet that never traded.
-- $1 text: wallet. Sums are numeric, lamports. Index: wallet_address_key, position_pkey.
select
  count(*)::integer as token_count,
  sum(transaction_count)::bigint as transaction_count,
  sum(buy_count)::bigint as buy_count,
  sum(sell_count)::bigint as sell_count,
  sum(covered_sell_count)::bigint as covered_sell_count,
  sum(win_count)::bigint as win_count,
  sum(buys_lamports) as buys_lamports,
  sum(sells_lamports) as sells_lamports,
  sum(uncovered_lamports) as uncovered_lamports,
  sum(realized_strict) as realized_strict,
  sum(realized_adjusted) as realized_adjusted,
  min(first_trade_ms) as first_trade_ms,
  max(last_trade_ms) as last_trade_ms
from position
where wallet_id = (select id from wallet where address = $1)
having count(*) > 0
