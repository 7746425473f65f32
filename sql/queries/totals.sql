-- name: totals/sum_trader
-- Totals of a wallet over all its positions; no row for a wallet that never traded.
-- $1 text: wallet, $2 integer[]: token ids to leave out, null for none. Sums are numeric, lamports. Index: wallet_address_key,
-- position_pkey.
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
  and ($2::integer[] is null or token_id <> all ($2))
having count(*) > 0
