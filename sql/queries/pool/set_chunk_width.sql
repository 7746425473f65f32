-- Sets the width of future chunks of `swap`, and the duration of chunks of its minute tables to the same, at 0.4 s a
-- slot, but a day at least. $1 bigint: slots. Serialized: of lanes that change the same row of TimescaleDB's catalogue
-- at once it refuses all but one, with an error that is not transient.
with alone as materialized (
  select pg_advisory_xact_lock(hashtextextended('chunk_width', 0))
)
select
  set_chunk_time_interval('swap', $1::bigint),
  set_chunk_time_interval('candle_1m', greatest(86400000, $1::bigint * 400)),
  set_chunk_time_interval('trader_minute', greatest(86400000, $1::bigint * 400))
from alone
