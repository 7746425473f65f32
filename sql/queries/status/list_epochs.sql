-- The epoch of the stream that each lane has read. Result: actor text, lane smallint, stream_epoch text; no row for a
-- lane that has not committed yet. Reads the whole of a small table.
select actor, lane, stream_epoch
from checkpoint
where stream_epoch is not null
