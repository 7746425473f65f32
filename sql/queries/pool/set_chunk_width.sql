-- The chunks of `swap` that are made from now on are so wide, and those of what is kept of it by the minute as long as
-- that is, at 0.4 s a slot, but a day at least. $1 bigint: slots. One after the other: of lanes that change the same
-- row of TimescaleDB's catalogue at once it refuses all but one, by an error that does not pass.
with alone as materialized (
  select pg_advisory_xact_lock(hashtextextended('chunk_width', 0))
)
select
  set_chunk_time_interval('swap', $1::bigint),
  set_chunk_time_interval('candle_1m', greatest(86400000, $1::bigint * 400)),
  set_chunk_time_interval('trader_minute', greatest(86400000, $1::bigint * 400))
from alone
