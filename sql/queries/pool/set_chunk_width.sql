-- The chunks of `swap` that are made from now on are so wide. $1 bigint: slots.
select set_chunk_time_interval('swap', $1::bigint)
