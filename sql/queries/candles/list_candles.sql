-- Candles of a pool as lines of text, newest first; `-`: not counted; a line without a price ends after its traders. Up
-- to 256 lines are one text, with their count: for the reader a row each costs far more than the candles. $1 integer:
-- pool id, $2 $3 bigint: first bucket, and the end of the last, $4 integer: candles, $5 boolean: those without a price,
-- too. Index: {table}_pkey, backwards.
-- variant 1m: table = candle_1m; text_ms = 15360000
-- variant 15m: table = candle_15m; text_ms = 230400000
-- variant 4h: table = candle_4h; text_ms = 3686400000
select
  count(*)::integer as candles,
  string_agg(line, chr(10) order by bucket_ms desc) as lines
from (
  select
    bucket_ms,
    concat_ws(
      ' ', bucket_ms, volume_lamports, coalesce(volume_units::text, '-'), trade_count,
      coalesce(buy_count::text, '-'), coalesce(trader_count::text, '-'), open, high, low, close
    ) as line
  from {table}
  where pool_id = $1 and bucket_ms >= $2 and bucket_ms < $3 and ($5 or open is not null)
  order by bucket_ms desc
  limit $4
) as newest
group by bucket_ms / {text_ms}
order by bucket_ms / {text_ms} desc
