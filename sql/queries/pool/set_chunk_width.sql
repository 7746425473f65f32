-- The chunks of `swap` that are made from now on are so wide, and those of what is kept of it by the minute as long as
-- that is, at 0.4 s a slot, but a day at least. $1 bigint: slots.
select
  set_chunk_time_interval('swap', $1::bigint),
  set_chunk_time_interval('candle_1m', greatest(86400000, $1::bigint * 400)),
  set_chunk_time_interval('trader_minute', greatest(86400000, $1::bigint * 400))
