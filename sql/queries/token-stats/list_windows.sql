-- Figures of tokens in windows, where they traded. $1 integer[]: token ids, $2 integer[]: widths in
-- minutes. Indexes: those of token_windows() and token_traders().
select
  traded.token_id, traded.window_minutes as minutes, traded.volume_lamports, traded.trade_count,
  traded.open, traded.high, traded.low, traded.close, coalesce(traders.buy_count, 0) as buy_count,
  coalesce(traders.sell_count, 0) as sell_count, coalesce(traders.buyer_count, 0) as buyer_count,
  coalesce(traders.seller_count, 0) as seller_count,
  newest_swap_ms() / 60000 * 60000 + 60000 as end_ms
from token_windows($1, $2) as traded
left join token_traders($1, $2) as traders
  on traders.token_id = traded.token_id and traders.window_minutes = traded.window_minutes
