-- Candles of a pool merged into wider ones as lines of text, newest first; `-`: one of them was not counted, or the
-- width counts no traders; a line without a price ends after its traders. Up to 256 lines are one text, with their
-- count: for the reader a row each costs far more than the candles. $1 integer: pool id, $2 $3 bigint: first bucket,
-- and the end of the last, $4 integer: candles, $5 boolean: those without a price, too, $6 bigint: width in
-- milliseconds. Index: {table}_pkey.
-- variant 1m: table = candle_1m; wide_ms = 300000
-- variant 15m: table = candle_15m; wide_ms = 3600000
-- variant 4h: table = candle_4h; wide_ms = 86400000
select
  count(*)::integer as candles,
  string_agg(line, chr(10) order by wide_ms desc) as lines
from (
  select
    time_bucket($6::bigint, bucket_ms) as wide_ms,
    concat_ws(
      ' ',
      time_bucket($6::bigint, bucket_ms),
      sum(volume_lamports),
      case when count(volume_units) = count(*) then sum(volume_units)::text else '-' end,
      sum(trade_count),
      case when count(buy_count) = count(*) then sum(buy_count)::text else '-' end,
      case
        when $6 = {wide_ms} and count(wide_trader_count) = count(*)
          then sum(wide_trader_count)::text
        else '-'
      end,
      first(open, bucket_ms) filter (where open is not null),
      max(high),
      min(low),
      last(close, bucket_ms) filter (where close is not null)
    ) as line
  from {table}
  where pool_id = $1 and bucket_ms >= $2 and bucket_ms < $3
  group by 1
  having $5 or count(open) > 0
  order by 1 desc
  limit $4
) as newest
group by wide_ms / (256 * $6::bigint)
order by wide_ms / (256 * $6::bigint) desc
